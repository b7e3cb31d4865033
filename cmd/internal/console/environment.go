package console

import (
	"path/filepath"
	"strings"
)

// Environment holds the variables that the process was started with.
type Environment map[string]string

// NewEnvironment reads variables in the form NAME=VALUE.
func NewEnvironment(environ []string) Environment {
	env := Environment{}
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	return env
}

// DataDir is the default folder of models and CA, after the XDG base directory specification.
func (e Environment) DataDir() string {
	if dir := e["XDG_DATA_HOME"]; filepath.IsAbs(dir) {
		return filepath.Join(dir, "winnow")
	}
	if home := e["HOME"]; home != "" {
		return filepath.Join(home, ".local", "share", "winnow")
	}
	if dir := e["LocalAppData"]; dir != "" {
		return filepath.Join(dir, "winnow")
	}
	return "winnow-data"
}

// Either returns a variable in lower or upper case, as is common for proxies.
func (e Environment) Either(lower string) string {
	if v := e[lower]; v != "" {
		return v
	}
	return e[strings.ToUpper(lower)]
}
