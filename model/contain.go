package model

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic that Contain has turned into an error.
type PanicError struct {
	Value any
	// Stack is that of the goroutine that panicked.
	Stack []byte
}

// Error implements error.
func (p *PanicError) Error() string { return fmt.Sprint(p.Value) }

// Contain calls f and returns its error, or a *PanicError if it panics. It is for work on input from strangers: a page
// that breaks a model, or a damaged store file, must not end the process.
func Contain(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return f()
}
