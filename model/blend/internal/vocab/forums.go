package vocab

// namesComments reports whether a part of a class or id names readers' comments, in the languages of such names.
func namesComments(part string) bool {
	switch part {
	case "comment", "comments", "commentlist", "talkback", "talkbacks", "coment", "comentario", "comentarios", "comentarii", "commentaire",
		"commentaires", "commento", "commenti", "kommentar", "kommentare", "kommentarer", "kommentit", "leserkommentare", "koment",
		"komentar", "komentari", "komentare", "komentarz", "komentarze", "komentarzy", "opinia", "komment", "kommentarii", "kommentariy",
		"reactie", "reacties", "yorum", "yorumlar", "hozzaszolas", "hozzaszolasok", "pinglun":
		return true
	}
	return false
}

// isTopicPart reports whether forum programs give a name, in lower case, to a part of a thread.
func isTopicPart(name string) bool {
	switch name {
	case "forum-topic-navigation", "node-forum", "node-type-forum", "forum-post", "forum-post-info", "postprofile", "postdetails", "posterinfo",
		"poster_info", "bbp-reply-content", "message-user", "taskdetails", "bz_comment":
		return true
	}
	return false
}

// Beside each post of a forum are details of its author: rank, number of posts, date of registration, signature. They
// are short texts that few pages share, so they look like content to features that count repetition, and the corpora
// for fitting disagree about them. To a reader they are noise, but the name is not.

// WriterBox is a box with details of an author.
type WriterBox uint8

const (
	NoBox WriterBox = iota
	detailsBox
	SignatureBox
)

// writerBoxOf returns the box that a class or id, in lower case, stands for. Forum programs (phpBB, SMF, vBulletin,
// MyBB, FluxBB, XenForo, Invision, UseBB, Discuz) give names to them that begin with one of these.
func writerBoxOf(name string) WriterBox {
	switch name {
	case "poster":
		return detailsBox
	case "signature":
		return SignatureBox
	}
	if hasAnyPrefix(name, "postprofile", "postdetails", "posterinfo", "poster_info", "userinfo_extra", "author_statistics", "postleft",
		"message-userextras", "message-user", "cauthorpane_info", "topic-profile", "postauthor", "vtprofileinfo", "user-details") {
		return detailsBox
	}
	return NoBox
}
