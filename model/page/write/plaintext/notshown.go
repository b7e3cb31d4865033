package plaintext

import "strings"

// NotShown is the line before what people do not see at once on a page. Each line after it begins with "> ".
const NotShown = "[Not shown:]"

// WithNotShown appends to a text what people do not see at once: each line has a mark of its own, so that nothing in it
// can pass as shown.
func WithNotShown(text, hidden string) string {
	if hidden = strings.TrimSpace(hidden); hidden == "" {
		return text
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(text, "\n"))
	if b.Len() > 0 {
		b.WriteString("\n\n")
	}
	b.WriteString(NotShown + "\n\n")
	for line := range strings.Lines(hidden) {
		b.WriteString(strings.TrimRight("> "+strings.TrimRight(line, "\r\n"), " ") + "\n")
	}
	return b.String()
}

// CutNotShown is the reverse of [WithNotShown]. A page can write the line itself, but only to mark what it shows.
func CutNotShown(text string) (shown, hidden string) {
	at := strings.LastIndex("\n"+text, "\n"+NotShown+"\n")
	if at < 0 {
		return text, ""
	}
	var b strings.Builder
	for line := range strings.Lines(text[at+len(NotShown):]) {
		b.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, ">"), " "))
	}
	return strings.TrimRight(text[:at], "\n"), strings.TrimSpace(b.String())
}
