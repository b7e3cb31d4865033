package admin

import "github.com/winnow-proxy/winnow/proxy/metrics/prom"

// Metrics returns the counters and the health of the models at each scrape. Register it with the metrics of the proxy.
func Metrics(m Models) func() []prom.Family {
	return func() []prom.Family {
		c, health := m.Counters(), m.Health()
		var failing, lastWrite float64
		if !health.OK() {
			failing = 1
		}
		if !health.LastWrite.IsZero() {
			lastWrite = float64(health.LastWrite.Unix())
		}
		return []prom.Family{
			total("pages_learned", "Pages learned.", c.Learned),
			total("pages_skipped", "Pages not learned because they taught nothing new.", c.Skipped),
			total("pages_dropped", "Pages not learned because the queue was full.", c.Dropped),
			total("models_evicted", "Models that left memory to make room.", c.Evicted),
			total("models_lost", "Models that left memory and could not be saved.", c.Lost),
			total("detector_panics", "Calls into the detector or the store that panicked.", c.Panics),
			total("store_flush_errors", "Failed writes to the store.", c.FlushErrors),
			total("store_load_errors", "Failed reads from the store.", c.LoadErrors),
			total("store_set_aside", "Stored models that could not be read.", c.SetAside),
			total("store_evicted", "Models removed from the store to make room.", c.StoreEvicted),
			present("learn_queue_pages", "Pages waiting to be learned.", float64(c.Queue)),
			present("learn_queue_bytes", "Size of the pages waiting to be learned.", float64(c.QueueBytes)),
			present("models_in_memory", "Host models in memory.", float64(c.Models)),
			present("models_bytes", "Size of the host models in memory.", float64(c.Bytes)),
			present("models_limit_bytes", "What the host models in memory may take.", float64(c.MaxBytes)),
			present("store_bytes", "Size of the store.", float64(c.StoreBytes)),
			present("store_limit_bytes", "What the store may take, 0 for any size.", float64(c.StoreLimit)),
			present("store_failing", "1 while what was learned can't be saved.", failing),
			present("store_last_write_timestamp_seconds", "When something was last saved, 0 for not yet.", lastWrite),
		}
	}
}

func total(name, help string, n uint64) prom.Family {
	return prom.Single(prom.TypeCounter, "winnow_"+name+"_total", help, float64(n))
}

func present(name, help string, v float64) prom.Family {
	return prom.Single(prom.TypeGauge, "winnow_"+name, help, v)
}
