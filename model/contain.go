package model

import (
	"fmt"
	"runtime/debug"
)

// Panic is a panic that Contain has turned into an error.
type Panic struct {
	Value any
	// Stack is that of the goroutine that panicked.
	Stack []byte
}

// Error implements error.
func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// Contain calls f and returns its error, or a *Panic if it panics. It stands around work on what strangers have
// written: a page that breaks a model, or a store's file that is damaged, must not end the process.
func Contain(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{v, debug.Stack()}
		}
	}()
	return f()
}
