package charset

import (
	"bytes"
	"strings"
	"testing"

	htmlcharset "golang.org/x/net/html/charset"
)

// Sentences in the languages of pages without a declared encoding, with their usual encodings.
func guessable() []struct{ labels, text string } {
	return []struct{ labels, text string }{
		{"windows-1251 koi8-r iso-8859-5 ibm866", "Сегодня утром в городе открыли новую библиотеку, и у входа собралась большая очередь."},
		{"windows-1251", "Тази сутрин в града отвориха нова библиотека и пред входа се събраха много хора."},
		{"windows-1250 iso-8859-2", "Dziś rano otwarto w mieście nową bibliotekę i przed wejściem ustawiła się długa kolejka."},
		{"windows-1250 iso-8859-2", "Dnes ráno ve městě otevřeli novou knihovnu a před vchodem se utvořila dlouhá řada lidí."},
		{"windows-1250 iso-8859-2", "Ma reggel új könyvtár nyílt a városban, és hosszú sor állt a bejárat előtt, főleg idősebbek."},
		{"windows-1253 iso-8859-7", "Σήμερα το πρωί άνοιξε στην πόλη μια νέα βιβλιοθήκη και πολλοί περίμεναν στην είσοδο."},
		{"windows-1254", "Bu sabah şehirde yeni bir kütüphane açıldı ve girişte uzun bir kuyruk oluştu, çoğu gençti."},
		{"windows-1255", "הבוקר נפתחה בעיר ספרייה חדשה ותור ארוך של אנשים עמד לפני הכניסה."},
		{"windows-1256", "افتتحت هذا الصباح مكتبة جديدة في المدينة ووقف الناس في صف طويل أمام المدخل."},
		{"windows-874", "เช้านี้มีการเปิดห้องสมุดแห่งใหม่ในเมือง และมีคนเข้าแถวยาวหน้าประตู"},
		{"shift_jis euc-jp", "今朝、町に新しい図書館が開館し、入り口の前には長い列ができました。"},
		{"gb18030", "今天早上，城里新开了一家图书馆，门口有很多人在等着进去看书。"},
		{"big5", "今天早上，城裡新開了一家圖書館，門口有很多人在等著進去看書。"},
		{"euc-kr", "오늘 아침 도시에 새로운 도서관이 문을 열었고 입구에는 사람들이 길게 줄을 섰다."},
		{"windows-1252", "Heute früh wurde in der Stadt eine neue Bücherei eröffnet, und es gab große Schlangen."},
		{"windows-1252", "Ce matin, une bibliothèque a été inaugurée ; à l’entrée, la file était « très longue »."},
		{"windows-1252", "Esta mañana abrió una nueva biblioteca en la ciudad; había más niños que sillas."},
		{"windows-1252", "Stamattina la città ha aperto una biblioteca: la coda è più lunga di così, perché è gratis."},
		{"windows-1252", "I morse öppnade ett nytt bibliotek på torget, och kön var längre än någon väntat sig."},
		{"windows-1252", "A new library opened this morning – and “everybody” came. It’s © 2026, about 20 £."},
	}
}

func TestGuessCharset(t *testing.T) {
	for _, tc := range guessable() {
		for label := range strings.FieldsSeq(tc.labels) {
			enc, _ := htmlcharset.Lookup(label)
			body, err := enc.NewEncoder().String(tc.text)
			if err != nil {
				t.Fatalf("%s: %v", label, err)
			}
			src := `<html><head><title>News</title><script>var a = "b";</script></head><body><div class="x">` +
				`<p>Home | Contact</p><p>` + body + `</p><p>` + body + `</p></body></html>`
			guess := Detect([]byte(src), "text/html")
			text, err := guess.Decode([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), tc.text) {
				t.Errorf("%s was taken for %s: %.60q", label, guess.Name, tc.text)
			}
		}
	}
}

// For noise the guess is the usual encoding of pages that declare none.
func TestGuessNothing(t *testing.T) {
	for _, src := range []string{"", "plain", "\xff", "<p>\xa0</p>", strings.Repeat("\x81\x8d\x8f\x90\x9d", 1000), "<p \xe0\xe1\xe2>x</p>"} {
		if got := guess([]byte(src)); got.Name != "windows-1252" {
			t.Errorf("%.20q was taken for %s", src, got.Name)
		}
	}
}

// FuzzGuessCharset checks that the guessed encoding can decode any bytes.
func FuzzGuessCharset(f *testing.F) {
	for _, tc := range guessable() {
		enc, _ := htmlcharset.Lookup(strings.Fields(tc.labels)[0])
		body, _ := enc.NewEncoder().Bytes([]byte(tc.text))
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		guess := guess(src)
		if _, err := guess.Decode(src); err != nil || guess.Enc == nil {
			t.Errorf("%s: %v", guess.Name, err)
		}
		if sample := textBeyondASCII(src); len(sample) > 2*guessBytes+1 || bytes.ContainsAny(sample, "<") {
			t.Errorf("a sample of %d bytes: %.40q", len(sample), sample)
		}
	})
}

func BenchmarkGuessCharset(b *testing.B) {
	enc, _ := htmlcharset.Lookup("windows-1251")
	body, _ := enc.NewEncoder().Bytes([]byte(strings.Repeat("<p>"+guessable()[0].text+"</p>\n", 700)))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		guess(body)
	}
}
