package page

import "errors"

// ErrDone says that nobody waits for what is made of a page any more.
var ErrDone = errors.New("writing a page: nobody waits for it any more")

// IsDone reports whether done is closed. Whatever goes through all elements of a page asks at each of them.
func IsDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
