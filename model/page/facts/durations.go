package facts

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// iso is a duration in the form of ISO 8601.
var iso = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // it never changes
	return regexp.MustCompile(`^P(?:(\d+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$`)
})

// isoMinutes returns the minutes of a duration in the form of ISO 8601, 0 if it has another form.
func isoMinutes(value string) int {
	m := iso().FindStringSubmatch(strings.ToUpper(strings.ReplaceAll(value, " ", "")))
	if m == nil {
		return 0
	}
	number := func(s string) float64 { n, _ := strconv.ParseFloat(s, 64); return n }
	return int(24*60*number(m[1]) + 60*number(m[2]) + number(m[3]) + number(m[4])/60)
}

// durations returns the durations in a text in lower case, in minutes: "1 h 30 min" and "0:15". Numbers and units
// that follow each other are one duration.
func durations(text string) (all []int) {
	if !hasDigit(text) {
		return nil
	}
	number, sum, open := -1, 0, false
	end := func() {
		if open && sum > 0 {
			all = append(all, sum)
		}
		sum, open = 0, false
	}
	for _, w := range durationWords(text) {
		if n, err := strconv.Atoi(w); err == nil {
			if number >= 0 {
				end()
			}
			number = n
			continue
		}
		unit := minutesOf(w)
		switch {
		case unit > 0 && number >= 0:
			if open && unit >= 60 && sum%60 != 0 {
				end()
			}
			sum, open, number = sum+number*unit, true, -1
		case unit > 0: // the unit again, for screen readers
		default:
			end()
			number = -1
		}
	}
	end()
	if h, m, ok := strings.Cut(clockIn(text), ":"); ok {
		hours, _ := strconv.Atoi(h)
		minutes, _ := strconv.Atoi(m)
		all = append(all, 60*hours+minutes)
	}
	return all
}

// durationWords returns the words of a text. A number and a unit without a space between them are two.
func durationWords(text string) (all []string) {
	for _, w := range words(text) {
		start, digits := 0, false
		for i, r := range w {
			if d := unicode.IsDigit(r); i > 0 && d != digits {
				all = append(all, w[start:i])
				start = i
			}
			digits = unicode.IsDigit(r)
		}
		all = append(all, w[start:])
	}
	return all
}

// clockIn returns the first time of the form 1:05, or an empty string.
func clockIn(text string) string {
	at := strings.IndexByte(text, ':')
	if at < 1 || at+3 > len(text) || !isDigit(text[at-1]) || !areDigits(text[at+1:at+3]) {
		return ""
	}
	start := at - 1
	if start > 0 && isDigit(text[start-1]) {
		start--
	}
	return text[start : at+3]
}

// minutesOf returns the minutes of a unit of time, 0 for other words.
func minutesOf(unit string) int {
	switch unit {
	case "m", "min", "mins", "minute", "minutes", "minuten", "minuti", "minuto", "minutos", "minut", "minuty", "minuter", "minutter", "minuuttia", "minuutti", "minuut",
		"minutu", "minuta", "minuto's", "мин", "минут", "минуты", "минута", "хв", "хвилин", "dk", "dakika", "perc", "λεπτά", "λ", "分", "分钟", "分鐘", "분", "דקות", "دقيقة":
		return 1
	case "h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden", "heure", "heures", "hora", "horas", "ora", "ore", "uur", "uren", "u", "godz", "godzina",
		"godziny", "godzin", "ч", "час", "часа", "часов", "год", "години", "sa", "saat", "óra", "tim", "timme", "timmar", "time", "timer", "t", "tuntia", "tunti",
		"hodina", "hodiny", "hodin", "hod", "ώρα", "ώρες", "時間", "小时", "小時", "시간", "שעות", "ساعة":
		return 60
	case "d", "day", "days", "tag", "tage", "jour", "jours", "día", "días", "dia", "dias", "giorno", "giorni", "dag", "dagen", "dni", "дней", "день", "日", "天":
		return 24 * 60
	}
	return 0
}
