package policy

import (
	"strings"
	"unicode"

	"github.com/winnow-proxy/winnow/model/page"
)

// The words on buttons and links that people act with, in the languages of most of the web. They must be the whole
// text, because the same words are part of many sentences.

// longestWords is more than the length of what is compared with a label.
const longestWords = 100

// label returns a text in the form for comparison: in lower case, without marks and counts around it. It is empty for a
// text that is too long to be one of those words.
func label(text string) string {
	text = strings.TrimFunc(text, isMark)
	if strings.ContainsFunc(text, page.IsOddSpace) || strings.Contains(text, "  ") {
		text = strings.Join(strings.Fields(text), " ")
	}
	if len(text) > longestWords {
		return ""
	}
	return strings.ToLower(text)
}

// isMark reports whether a character around a label is no part of it.
func isMark(r rune) bool {
	switch r {
	case '.', ',', ':', ';', '!', '…', '»', '«', '›', '‹', '→', '←', '<', '>', '[', ']', '(', ')', '|', '•', '·', '+':
		return true
	}
	return '0' <= r && r <= '9' || unicode.IsSpace(r)
}

// isBuying reports whether a button or link with this label buys something.
func isBuying(label string) bool {
	switch label {
	case "add to cart", "add to basket", "add to bag", "add to trolley", "buy", "buy now", "buy it now", "checkout", "check out",
		"proceed to checkout", "order now", "pre-order", "preorder", "place order", "place bid", "in den warenkorb", "jetzt kaufen", "kaufen", "bestellen", "zur kasse",
		"ajouter au panier", "acheter", "commander", "añadir al carrito", "añadir a la cesta", "agregar al carrito", "comprar", "comprar ahora",
		"adicionar ao carrinho", "adicionar", "comprar agora", "aggiungi al carrello", "acquista", "compra", "in winkelwagen", "in winkelmand", "kopen", "bestel",
		"do koszyka", "dodaj do koszyka", "kup teraz", "kup", "в корзину", "добавить в корзину", "купить", "заказать", "加入购物车", "加入購物車", "立即购买", "立即購買",
		"カートに入れる", "購入する", "장바구니", "구매하기", "sepete ekle", "satın al", "lägg i varukorg", "köp", "læg i kurv", "lisää ostoskoriin", "přidat do košíku",
		"kosárba", "أضف إلى السلة", "اشتر الآن":
		return true
	}
	return false
}

// buysOrReplies reports whether a button with this label buys something or begins an answer.
func buysOrReplies(label string) bool { return isBuying(label) || isReplying(label) }

// isReplying reports whether a button or link with this label begins an answer.
func isReplying(label string) bool {
	switch label {
	case "reply", "post reply", "post a reply", "add reply", "reply to topic", "reply to thread", "quick reply", "quote",
		"new topic", "post new topic", "new thread", "new reply", "post comment", "post a comment", "leave a reply", "leave a comment", "add comment", "send", "send message",
		"antworten", "auf thema antworten", "zitieren", "kommentieren", "senden", "répondre", "citer", "commenter", "envoyer", "responder", "citar", "comentar", "enviar",
		"rispondi", "cita", "commenta", "invia", "reageer", "antwoorden", "citeren", "odpowiedz", "cytuj", "wyślij", "ответить", "цитировать", "отправить",
		"комментировать", "回复", "回覆", "发表回复", "引用", "返信", "引用返信", "답글", "yanıtla", "alıntı", "svara", "svar", "vastaa", "odpovědět", "válasz":
		return true
	}
	return false
}

// isLogin reports whether a button or link with this label begins a login.
func isLogin(label string) bool {
	switch label {
	case "login", "log in", "log-in", "sign in", "sign-in", "signin", "my account", "anmelden", "einloggen", "connexion", "se connecter",
		"iniciar sesión", "acceder", "entrar", "iniciar sessão", "accedi", "inloggen", "aanmelden", "zaloguj", "zaloguj się", "логин", "войти", "вход", "登录", "登入",
		"ログイン", "로그인", "giriş", "giriş yap", "logga in", "log ind", "logg inn", "kirjaudu", "přihlásit", "přihlásit se", "bejelentkezés", "تسجيل الدخول":
		return true
	}
	return false
}

// isPageNumber reports whether a text is the number of a page.
func isPageNumber(text string) bool {
	return text != "" && len(text) <= 5 && strings.Trim(text, "0123456789") == "" && text[0] != '0'
}

// isTurning reports whether a text on a link turns a page.
func isTurning(text string) bool {
	if strings.Trim(text, " »«›‹→←<>|…") == "" && text != "" {
		return true
	}
	switch label(text) {
	case "next", "previous", "prev", "next page", "previous page", "older", "newer", "older posts", "newer posts", "older entries", "newer entries",
		"first", "last", "weiter", "zurück", "nächste", "nächste seite", "vorherige", "vorige", "ältere", "neuere", "suivant", "suivante", "précédent", "précédente",
		"page suivante", "page précédente", "siguiente", "anterior", "próxima", "próximo", "successiva", "successivo", "precedente", "volgende",
		"następna", "poprzednia", "dalej", "wstecz", "следующая", "предыдущая", "далее", "назад", "вперед", "вперёд", "下一页", "上一页", "下一頁", "上一頁", "次へ", "前へ",
		"다음", "이전", "sonraki", "önceki", "nästa", "föregående", "næste", "forrige", "seuraava", "edellinen", "další", "předchozí", "következő", "előző", "التالي", "السابق":
		return true
	}
	return false
}

// isCopying reports whether a button with this label copies something.
func isCopying(label string) bool {
	switch label {
	case "copy", "copy code", "copy to clipboard", "kopieren", "code kopieren", "copier", "copiar", "copia", "kopiëren", "kopiuj", "копировать", "скопировать", "复制", "複製",
		"コピー", "복사", "kopyala", "kopiera", "kopier", "kopioi", "kopírovat", "másolás", "نسخ":
		return true
	}
	return false
}
