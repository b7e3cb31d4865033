package main

import (
	"errors"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/proxy/access"
)

// passwdCmd is winnow passwd.
type passwdCmd struct {
	Add    passwdAddCmd    `cmd:"" help:"Add a user to a password file, or give one a new password."`
	Remove passwdRemoveCmd `cmd:"" help:"Take users out of a password file."`
}

type passwdAddCmd struct {
	File string `arg:"" help:"Password file; it is made if need be."`
	User string `arg:"" help:"Name of the user."`
}

// Help gives examples.
func (*passwdAddCmd) Help() string {
	return `The password is asked for on a terminal, and else read from the first line of standard input; it never stands in a command line, which others can see. The file has the format of Apache's htpasswd with bcrypt. It is written anew, and belongs to whoever runs the command: run it as the user that winnow serve runs as.

Examples:

  winnow passwd add users ada
  pass show proxy/ada | winnow passwd add users ada
  winnow serve --listen :8080 --password-file users`
}

// Run adds.
func (c *passwdAddCmd) Run(p *console.Console) error {
	if err := access.CheckName(c.User); err != nil {
		return console.Usagef("USER: %w", err)
	}
	password, err := p.ReadPassword(c.User)
	if err != nil {
		return err
	}
	return access.SetPassword(c.File, c.User, password)
}

type passwdRemoveCmd struct {
	File string   `arg:"" help:"Password file."`
	User []string `arg:"" help:"Names of the users."`
}

// Help gives examples.
func (*passwdRemoveCmd) Help() string {
	return `Examples:

  winnow passwd remove users ada charles`
}

// Run removes. Users that are not there are named, and the others removed all the same.
func (c *passwdRemoveCmd) Run() error {
	var errs []error
	for _, name := range c.User {
		errs = append(errs, access.RemoveUser(c.File, name))
	}
	return errors.Join(errs...)
}
