package blend

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// nameSet is a set of groups.
type nameSet uint64

// group is a family of words that authors use in class names, ids and roles, or of tags, with one meaning.
type group uint8

const (
	groupNav group = iota
	groupHeader
	groupFooter
	groupSidebar
	groupAd
	groupShare
	groupRelated
	groupComment
	groupCrumb
	groupPager
	groupForm
	groupCookie
	groupMeta
	groupContent
	groupProduct
	groupTOC
	groupHidden
	groupButton
	groupList
	groupTitle
	groupUser
	tagNav
	tagHeader
	tagFooter
	tagAside
	tagArticle
	tagMain
	tagForm
	tagTable
	tagCell
	tagList
	tagItem
	tagSection
	tagPara
	tagH1
	tagH2
	tagH3
	tagLink
	tagCode
	tagFigure
	tagDefList
	tagControl
	tagLabel
	tagQuote
	tagCenter
	groups
)

// has reports whether g is in the set.
func (s nameSet) has(g group) bool { return s&(1<<g) != 0 }

// groupWords are the words of each group, matched against the parts of class names, ids and roles ("site-navBar_2" has
// the parts site, nav, bar). A word that ends in * matches as a prefix.
func groupWords() map[group]string {
	return map[group]string{
		groupNav:     "nav* menu* navbar tabs tab topbar subnav mainmenu topmenu submenu",
		groupHeader:  "header* head hd masthead banner* top logo* brand* branding hero",
		groupFooter:  "footer* foot ft bottom copyright* colophon legal credits copy",
		groupSidebar: "sidebar* side aside rail widget* gadget portlet* block blocks secondary right left leftcol rightcol column col2 col3",
		groupAd: "ad ads adv advert* adsense adbox adslot sponsor* promo* promotion* doubleclick dfp taboola outbrain " +
			"commercial affiliate reklama anuncio werbung",
		groupShare:   "share* sharing social* facebook twitter pinterest addthis addtoany sharedaddy follow like likes tweet",
		groupRelated: "related* recommend* similar upsell* crosssell* cross suggest* popular trending recent latest more also other featured teaser* recirc* rec",
		groupComment: "comment* respond reply replies disqus discussion commentlist feedback review reviews trackback*",
		groupCrumb:   "breadcrumb* crumb* pathway trail path navpath location",
		groupPager:   "pager pagination* paging pagenav pagenavi prev previous next older newer navlinks pages postnav",
		groupForm: "search* login* signin signup subscribe* newsletter register form forms input field select filter* sort* toolbar" +
			" cart checkout basket password",
		groupCookie: "cookie* consent gdpr popup* modal* overlay* notice notification* alert dialog lightbox tooltip dropdown",
		groupMeta: "meta byline author* date time tag tags category* categories cat cats posted postmeta info published timestamp " +
			"entrymeta postedby details stats views edit permalink taxonomy label labels",
		groupContent: "content* article* post entry story main body text hentry maincontent articlebody postbody prose markdown " +
			"bodytext document documentation wiki description summary message",
		groupProduct: "product* price* sku variant* stock quantity qty shop shopping woocommerce offer* catalog* item-price",
		groupTOC:     "toc contents index outline tableofcontents",
		groupHidden:  "hidden hide sr screen skip noprint print visually offscreen invisible collapse collapsed",
		groupButton:  "button* btn* toggle icon* action* tool tools control* link links more readmore",
		groupList:    "list* item items grid card cards row rows result* thumb* gallery archive feed tile",
		groupTitle:   "title* heading* headline* subject caption name",
		groupUser:    "user* profile avatar member* poster account signature sig rank rating*",
	}
}

// vocabulary is groupWords in a form for look-up, together with the meaning of single names on the sites that the
// weights were fitted on. It is read-only.
type vocabulary struct {
	exact, prefix map[string]nameSet
	// leaning is the log-odds that the text below an element of this name is noise. words and phrases are the same for
	// a text that contains this word or is this phrase, headingWords and headings for the text under such a heading.
	leaning, words, phrases, headingWords, headings *lexicon
	// tags has the part of leaning that is about tags, without the "<".
	tags map[string]float32
}

// newVocabulary returns a vocabulary with room for the names of each mark.
func newVocabulary(names map[byte]int) *vocabulary {
	r := &vocabulary{exact: map[string]nameSet{}, prefix: map[string]nameSet{}, tags: map[string]float32{}}
	for _, mark := range [...]byte{0, wordMark, phraseMark, headingWordMark, headingMark} {
		*r.marked(mark) = newLexicon(names[mark])
	}
	for g, words := range groupWords() {
		for _, w := range strings.Fields(words) {
			if p, ok := strings.CutSuffix(w, "*"); ok {
				r.prefix[p] |= 1 << g
			} else {
				r.exact[w] |= 1 << g
			}
		}
	}
	return r
}

// marked returns the names with a mark. The mark 0 stands for names without one.
func (r *vocabulary) marked(mark byte) **lexicon {
	switch mark {
	case wordMark:
		return &r.words
	case phraseMark:
		return &r.phrases
	case headingMark:
		return &r.headings
	case headingWordMark:
		return &r.headingWords
	}
	return &r.leaning
}

// markOf returns the mark of a name, or 0.
func markOf(name string) byte {
	switch name[0] {
	case wordMark, phraseMark, headingMark, headingWordMark:
		return name[0]
	}
	return 0
}

// learn records the meaning of a name.
func (r *vocabulary) learn(name string, odds float32) {
	mark := markOf(name)
	if mark != 0 {
		name = name[1:]
	}
	(*r.marked(mark)).learn(name, odds)
	if tag, ok := strings.CutPrefix(name, "<"); ok && mark == 0 {
		r.tags[tag] = odds
	}
}

// maxPhrase is the most words of a text that is looked up as a whole ("read more").
const maxPhrase = 6

// Words and phrases are fitted like names, with a mark before them that no name has.
const (
	wordMark   = '~'
	phraseMark = '='

	headingMark     = '#'
	headingWordMark = '^'
)

// TextNames returns the names for looking up the text of a block: its words, and the whole text if it is short.
func TextNames(text string) []string {
	return markedNames(text, wordMark, phraseMark)
}

// markedNames returns the words of a text with the mark word and, if it is short, the whole text with the mark phrase.
func markedNames(text string, word, phrase byte) []string {
	folded := strings.ToLower(text)
	var names []string
	for w := range page.Words(folded) {
		names = append(names, string(word)+w)
	}
	if len(names) <= maxPhrase {
		names = append(names, string(phrase)+maskDigits(folded))
	}
	return names
}

// Names returns the names for looking up an element: the parts of its class, id and role, and its tag with a "<".
func Names(p *page.Page, e page.ElementID) []string {
	names := []string{"<" + p.Elements[e].Name}
	for _, a := range p.Attrs(e) {
		if a.Key == "class" || a.Key == "id" || isNaming(a.Key) {
			names = slices.AppendSeq(names, nameParts(a.Val))
		}
	}
	return names
}

// nameParts yields the parts of a class attribute or id, split at anything but letters and at capitals, in lower case.
func nameParts(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, afterLower := -1, false
		for i, c := range s {
			lower, upper := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z'
			letter := lower || upper
			if c >= utf8.RuneSelf {
				lower, upper, letter = unicode.IsLower(c), unicode.IsUpper(c), unicode.IsLetter(c)
			}
			if start >= 0 && (!letter || upper && afterLower) {
				if !yield(strings.ToLower(s[start:i])) {
					return
				}
				start = -1
			}
			if letter && start < 0 {
				start = i
			}
			afterLower = lower
		}
		if start >= 0 {
			yield(strings.ToLower(s[start:]))
		}
	}
}

func tagGroups(a atom.Atom) nameSet {
	bit := func(g group) nameSet { return 1 << g }
	switch a {
	case atom.Nav, atom.Menu:
		return bit(tagNav)
	case atom.Header, atom.Hgroup:
		return bit(tagHeader)
	case atom.Footer:
		return bit(tagFooter)
	case atom.Aside:
		return bit(tagAside)
	case atom.Article:
		return bit(tagArticle)
	case atom.Main:
		return bit(tagMain)
	case atom.Form:
		return bit(tagForm)
	case atom.Table:
		return bit(tagTable)
	case atom.Td, atom.Th:
		return bit(tagCell)
	case atom.Ul, atom.Ol:
		return bit(tagList)
	case atom.Li:
		return bit(tagItem)
	case atom.Section:
		return bit(tagSection)
	case atom.P:
		return bit(tagPara)
	case atom.H1:
		return bit(tagH1)
	case atom.H2:
		return bit(tagH2)
	case atom.H3, atom.H4, atom.H5, atom.H6:
		return bit(tagH3)
	case atom.A:
		return bit(tagLink)
	case atom.Pre, atom.Code:
		return bit(tagCode)
	case atom.Figure, atom.Figcaption:
		return bit(tagFigure)
	case atom.Dl, atom.Dt, atom.Dd:
		return bit(tagDefList)
	case atom.Select, atom.Option, atom.Button, atom.Textarea:
		return bit(tagControl)
	case atom.Label, atom.Legend, atom.Fieldset:
		return bit(tagLabel)
	case atom.Blockquote:
		return bit(tagQuote)
	case atom.Center, atom.Font:
		return bit(tagCenter)
	}
	return 0
}
