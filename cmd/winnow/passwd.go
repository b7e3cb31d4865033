package main

import (
	"errors"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/proxy/access"
)

// passwdCmd is winnow passwd.
type passwdCmd struct {
	Add    passwdAddCmd    `cmd:"" help:"Add a user to a password file, or give one a new password."`
	Remove passwdRemoveCmd `cmd:"" help:"Remove users from a password file."`
}

type passwdAddCmd struct {
	File string `arg:"" help:"Password file; a missing file is created."`
	User string `arg:"" help:"Name of the user."`
}

// Help gives examples.
func (*passwdAddCmd) Help() string {
	return `The command asks for the password on a terminal. Without a terminal it reads the first line of standard input. The password is not part of the command line, which other users can see. The file has the format of Apache's htpasswd with bcrypt. The command writes a new file, which belongs to the user who runs it: run it as the user of winnow serve.

Examples:

  winnow passwd add users ada
  pass show proxy/ada | winnow passwd add users ada
  winnow serve --listen :8080 --password-file users`
}

// Run adds the user.
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

// Run removes the users. It names those that the file does not have, and still removes the others.
func (c *passwdRemoveCmd) Run() error {
	var errs []error
	for _, name := range c.User {
		errs = append(errs, access.RemoveUser(c.File, name))
	}
	return errors.Join(errs...)
}
