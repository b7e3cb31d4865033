package cascade

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// maxDataSheet bounds a style sheet in a data: address.
const maxDataSheet = 1 << 20

// dataText returns the text in a data: address (RFC 2397).
func dataText(address string) (string, bool) {
	address = strings.TrimSpace(address)
	if len(address) < 5 || len(address) > maxDataSheet || !strings.EqualFold(address[:5], "data:") {
		return "", false
	}
	head, data, ok := strings.Cut(address[5:], ",")
	if !ok {
		return "", false
	}
	if text, err := url.PathUnescape(data); err == nil {
		data = text
	}
	if strings.HasSuffix(strings.ToLower(strings.TrimSpace(head)), ";base64") {
		plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.Join(strings.Fields(data), ""), "="))
		if err != nil {
			return "", false
		}
		data = string(plain)
	}
	return data, true
}
