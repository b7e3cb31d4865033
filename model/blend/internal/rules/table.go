package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Rule is one decision that rests on no fitted weight.
type Rule struct {
	// Name switches the rule off.
	Name string
	// Purpose says what the rule does, Found on which pages it was found.
	Purpose, Found string
}

// The names of the rules.
const (
	Shell     = "shell"
	Recurring = "recurring"
	FactRows  = "fact-rows"
	Authors   = "authors"
	Fields    = "fields"
	Teasers   = "teasers"
	Article   = "article"
	Comments  = "comments"
	Related   = "related"
	Form      = "form"
	Declared  = "declared"
)

// Table lists the rules in the order in which they act on a page.
func Table() []Rule {
	return []Rule{
		{Shell, "passes the shell of an application, which scripts will fill", "pages of frameworks"},
		{Recurring, "drops sentences that nearly all pages have", "archives of mailing lists, among the fitting sites"},
		{FactRows, "keeps rows of labelled values that change from page to page", "pages of books, among the fitting sites"},
		{Authors, "drops what stands beside posts about their authors", "forums, among the fitting sites"},
		{Fields, "drops the contents of fields to copy from or to write into", "articles with a code to embed"},
		{Teasers, "drops lists of headlines beside an article", "DAnIEL's fitting hosts and articles of 2023"},
		{Article, "judges articles by the convention of news as well", "news, among the fitting sites"},
		{Comments, "drops readers' comments under an article", "articles and news, among the fitting sites"},
		{Related, "drops the links under a heading that is noise", "one of the reported sites"},
		{Form, "keeps the form that is the purpose of a page", "logins and checkouts"},
		{Declared, "keeps the facts that a page declares about its subject", "shops and recipes"},
	}
}

// Set is a set of rules that are switched off. The zero value leaves all on.
type Set struct{ off []string }

// Without returns the set without the named rules.
func Without(names ...string) (Set, error) {
	for _, n := range names {
		if !slices.ContainsFunc(Table(), func(r Rule) bool { return r.Name == n }) {
			return Set{}, fmt.Errorf("no rule is called %q: there are %s", n, strings.Join(Names(), ", "))
		}
	}
	return Set{names}, nil
}

// Names lists the names of all rules.
func Names() (names []string) {
	for _, r := range Table() {
		names = append(names, r.Name)
	}
	return names
}

// Has reports whether a rule is on.
func (s Set) Has(name string) bool { return !slices.Contains(s.off, name) }
