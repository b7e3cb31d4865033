package sites

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/winnow-proxy/winnow/cache/durable"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// FileName is the name of a book's file in a data folder.
const FileName = "site-settings.json"

// content is what a file has.
type content struct {
	Version int               `json:"version"`
	Sites   map[string]Record `json:"sites"`
}

const fileVersion = 1

// readFile reads a book. A file that does not exist has no sites.
func readFile(file string) (map[string]Record, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Record{}, nil
	}
	if err != nil {
		return nil, err
	}
	sites, err := parseFile(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: mend it, or remove it to start without settings", file, err)
	}
	return sites, nil
}

// parseFile reads the content of a file strictly, since a misspelt name must not be ignored.
func parseFile(b []byte) (map[string]Record, error) {
	var c content
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return nil, err
	}
	if c.Version != fileVersion {
		return nil, fmt.Errorf("version %d, this winnow reads %d", c.Version, fileVersion)
	}
	sites := make(map[string]Record, len(c.Sites))
	for host, record := range c.Sites {
		name, err := hostname.Site(host)
		if err != nil {
			return nil, err
		}
		record.Settings = record.tidy()
		sites[name] = record
	}
	return sites, nil
}

// writeFile replaces a book's file. When it returns, the new content survives a crash; until then, the old one does.
func writeFile(file string, sites map[string]Record) error {
	b, err := json.MarshalIndent(content{fileVersion, sites}, "", " ")
	if err != nil {
		return err
	}
	return durable.Replace(file, append(b, '\n'))
}
