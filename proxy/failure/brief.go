package failure

import "strings"

// Brief is the text of err for the log, where some errors quote all that the origin sent.
func Brief(err error) string {
	const most = 200
	text := err.Error()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
