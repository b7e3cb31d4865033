package fleet

import "sync/atomic"

// traffic counts what is sent. It is safe for concurrent use.
type traffic struct{ messages, bytes atomic.Int64 }

func (t *traffic) sent(bytes int) {
	t.messages.Add(1)
	t.bytes.Add(int64(bytes))
}

// mean is the mean length of a message.
func (t *traffic) mean() float64 {
	return float64(t.bytes.Load()) / float64(max(t.messages.Load(), 1))
}
