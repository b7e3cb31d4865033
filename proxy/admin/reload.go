package admin

import "net/http"

// Reloaded is the result of a reload of the configuration, by the names of flags.
type Reloaded struct {
	// Changed are the settings that differ from before and are in force now.
	Changed []string `json:"changed"`
	// Restart are those that differ but need a restart; until then the old values stay in force.
	Restart []string `json:"restart"`
}

// reload answers once the configuration is in force, or with 422 and what is wrong with it.
func (a *admin) reload(w http.ResponseWriter, r *http.Request) {
	done, err := a.Reload(r.Context())
	if err != nil {
		fail(w, http.StatusUnprocessableEntity, "the configuration is refused, the old one stays in force: "+err.Error())
		return
	}
	done.Changed, done.Restart = append([]string{}, done.Changed...), append([]string{}, done.Restart...)
	reply(w, done)
}
