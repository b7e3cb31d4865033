package site

import (
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model/taught"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// form checks that a visitor who may teach sends a form that this page has shown, or answers with an error. field is
// the field of the form whose value it returns.
func (h *handler) form(w http.ResponseWriter, r *http.Request, what, field string) (host, value string, ok bool) {
	host, v, ok := h.host(w, r)
	if !ok {
		return "", "", false
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	value = r.PostFormValue(field)
	switch {
	case !v.Teacher:
		problem.Write(w, http.StatusForbidden, "you may not teach this proxy, because others use it too; its operator may, at the admin address")
	case !h.tokens.Check(r.PostFormValue("token"), v.Name, what, host, value):
		problem.Write(w, http.StatusForbidden, "this form is too old, or not from winnow's own page: open the page again")
	default:
		return host, value, true
	}
	return "", "", false
}

func (h *handler) teach(w http.ResponseWriter, r *http.Request) {
	host, value, ok := h.form(w, r, "teach", "lesson")
	if !ok {
		return
	}
	var l taught.Lesson
	b, err := hex.DecodeString(value)
	if err = errors.Join(err, l.UnmarshalBinary(b)); err != nil {
		problem.Write(w, http.StatusBadRequest, "field lesson: "+err.Error())
		return
	}
	l.At = h.Now().UnixMilli()
	if err := h.Lessons.Teach(r.Context(), host, l); err != nil {
		h.failed(w, r, err)
		return
	}
	h.Logger.InfoContext(r.Context(), "taught", "host", host, "verdict", l.Verdict.String(), "scope", l.Scope())
	h.back(w, r, host, "taught")
}

// rule makes the rule of an operator's form.
func (h *handler) rule(w http.ResponseWriter, r *http.Request) {
	host, v, ok := h.host(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	selector, verdict := r.PostFormValue("selector"), r.PostFormValue("verdict")
	switch {
	case !v.Operator:
		problem.Write(w, http.StatusForbidden, "only the operator makes rules, at the admin address")
		return
	case !h.tokens.Check(r.PostFormValue("token"), v.Name, "rule", host, selector, verdict):
		problem.Write(w, http.StatusForbidden, "this form is too old, or not from winnow's own page: open the page again")
		return
	}
	if err := h.Rules.AddRule(host, selector, verdict == verdictWord(true)); err != nil {
		h.Logger.ErrorContext(r.Context(), "make a rule", "host", host, "error", err)
		problem.Write(w, http.StatusInternalServerError, "the rule could not be set: "+err.Error())
		return
	}
	h.Logger.InfoContext(r.Context(), "rule set", "host", host, "verdict", verdict)
	h.back(w, r, host, "rule")
}

func (h *handler) revoke(w http.ResponseWriter, r *http.Request) {
	host, value, ok := h.form(w, r, "revoke", "lesson")
	if !ok {
		return
	}
	key, err := strconv.ParseUint(value, 16, 64)
	if err != nil {
		problem.Write(w, http.StatusBadRequest, "field lesson: not the name of a lesson")
		return
	}
	if err := h.Lessons.Revoke(r.Context(), host, key, h.Now()); err != nil && !errors.Is(err, cache.ErrNoLesson) {
		h.failed(w, r, err)
		return
	}
	h.Logger.InfoContext(r.Context(), "lesson revoked", "host", host)
	h.back(w, r, host, "revoked")
}

// back redirects to the page that the form was on.
func (h *handler) back(w http.ResponseWriter, r *http.Request, host, done string) {
	to := "/site/" + host + "?done=" + done
	if address := r.PostFormValue("page"); address != "" {
		to += "&page=" + url.QueryEscape(address)
		if h.Choices != nil {
			to += "&shown=" + h.Choices.Shown(visitorOf(r.Context()).Name, address)
		}
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func (h *handler) failed(w http.ResponseWriter, r *http.Request, err error) {
	h.Logger.ErrorContext(r.Context(), "teach", "error", err)
	problem.Write(w, http.StatusInternalServerError, "the lesson could not be saved; the log says why")
}
