package vocab

import (
	"golang.org/x/net/html/atom"
)

// NameSet is a set of groups.
type NameSet uint64

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
	GroupCookie
	GroupMeta
	groupContent
	groupProduct
	groupTOC
	groupHidden
	groupButton
	groupList
	GroupTitle
	GroupUser
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
	Groups
)

// Has reports whether g is in the set.
func (s NameSet) Has(g group) bool { return s&(1<<g) != 0 }

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
		GroupCookie: "cookie* consent gdpr popup* modal* overlay* notice notification* alert dialog lightbox tooltip dropdown",
		GroupMeta: "meta byline author* date time tag tags category* categories cat cats posted postmeta info published timestamp " +
			"entrymeta postedby details stats views edit permalink taxonomy label labels",
		groupContent: "content* article* post entry story main body text hentry maincontent articlebody postbody prose markdown " +
			"bodytext document documentation wiki description summary message",
		groupProduct: "product* price* sku variant* stock quantity qty shop shopping woocommerce offer* catalog* item-price",
		groupTOC:     "toc contents index outline tableofcontents",
		groupHidden:  "hidden hide sr screen skip noprint print visually offscreen invisible collapse collapsed",
		groupButton:  "button* btn* toggle icon* action* tool tools control* link links more readmore",
		groupList:    "list* item items grid card cards row rows result* thumb* gallery archive feed tile",
		GroupTitle:   "title* heading* headline* subject caption name",
		GroupUser:    "user* profile avatar member* poster account signature sig rank rating*",
	}
}

func tagGroups(a atom.Atom) NameSet {
	bit := func(g group) NameSet { return 1 << g }
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
