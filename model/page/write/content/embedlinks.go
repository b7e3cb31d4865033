package content

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/winnow-proxy/winnow/model/page/address"
)

const (
	youtube     = "Video on YouTube"
	youtubeFilm = "https://www.youtube.com/watch?v="
)

// embedded returns what a frame has, and the address at which people open that: the page of a film or a post rather
// than its player. Frames of other sites keep their address.
func embedded(u *url.URL) (what, link string) {
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	last := parts[len(parts)-1]
	switch host {
	case "youtube.com", "youtube-nocookie.com":
		if len(parts) == 2 && isFilm(last) && last != "videoseries" {
			if start := u.Query().Get("start"); IsInteger(start) {
				return youtube, youtubeFilm + last + "&t=" + start
			}
			return youtube, youtubeFilm + last
		}
		if list := u.Query().Get("list"); isFilm(list) {
			return "Videos on YouTube", "https://www.youtube.com/playlist?list=" + list
		}
	case "player.vimeo.com":
		if len(parts) == 2 && IsInteger(last) {
			return "Video on Vimeo", "https://vimeo.com/" + last
		}
	case "dailymotion.com", "geo.dailymotion.com":
		if isFilm(last) && len(parts) == 3 {
			return "Video on Dailymotion", "https://www.dailymotion.com/video/" + last
		}
	case "platform.twitter.com", "platform.x.com":
		if id := u.Query().Get("id"); isFilm(id) {
			return "Post on X", "https://x.com/i/status/" + id
		}
	case "instagram.com":
		if len(parts) >= 3 && strings.HasPrefix(last, "embed") || last == "captioned" {
			return "Post on Instagram", "https://www.instagram.com/" + parts[0] + "/" + parts[1] + "/"
		}
	case "open.spotify.com":
		if len(parts) >= 3 && parts[0] == "embed" {
			return "Audio on Spotify", "https://open.spotify.com/" + strings.Join(parts[1:], "/")
		}
	case "w.soundcloud.com":
		if track := address.Absolute(u.Query().Get("url")); track != nil {
			return "Audio on SoundCloud", track.String()
		}
	case "facebook.com":
		if post := address.Absolute(u.Query().Get("href")); post != nil && parts[0] == "plugins" {
			return "Post on Facebook", post.String()
		}
	}
	if len(parts) == 3 && strings.HasPrefix(parts[0], "@") && last == "embed" { // Mastodon
		return "Post on " + u.Hostname(), strings.TrimSuffix(strings.TrimSuffix(u.String(), "/"), "/embed")
	}
	return "Frame from " + u.Hostname(), u.String()
}

// isFilm reports whether s may be the name of a film or a post in an address.
func isFilm(s string) bool {
	const longest = 64
	return s != "" && len(s) <= longest && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}
