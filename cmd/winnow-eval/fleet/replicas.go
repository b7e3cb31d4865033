package fleet

import (
	"fmt"
	"math/rand/v2"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Replicas is a detector whose model of a host is spread over a fleet. Each page goes to one replica, at random, as
// behind a load balancer that is not sticky. That replica marks the page with what it knows, and learns it. At
// intervals the replicas send each other the increments of the pages that they have learned.
type Replicas struct {
	// Detector makes the models. Models that are [model.Incremental] exchange increments, and others models of single
	// pages.
	Detector model.Detector
	// Replicas is the number of replicas, at least 1.
	Replicas int
	// Every is the number of pages of the host, in the fleet, between two exchanges. 0 exchanges nothing.
	Every int
	// Seed selects which replica gets which page.
	Seed uint64
	// Sent, when set, is called with the length in bytes of what is sent, for each receiver. Hosts call it concurrently.
	Sent func(bytes int)
}

// Name implements model.Detector.
func (d *Replicas) Name() string {
	switch {
	case d.Replicas == 1:
		return fmt.Sprintf("%s, 1 replica", d.Detector.Name())
	case d.Every == 0:
		return fmt.Sprintf("%s, %d replicas, nothing shared", d.Detector.Name(), d.Replicas)
	}
	return fmt.Sprintf("%s, %d replicas, shared every %d pages", d.Detector.Name(), d.Replicas, d.Every)
}

// New implements model.Detector.
func (d *Replicas) New(key model.Key) model.Host {
	h := &replicatedHost{d: d, key: key}
	for range d.Replicas {
		h.replicas = append(h.replicas, &replica{Host: d.Detector.New(key)})
	}
	return h
}

// Decode implements model.Detector. A fleet has no encoding.
func (*Replicas) Decode(model.Key, []byte) (model.Host, error) {
	return nil, fmt.Errorf("a model on replicas: %w", model.ErrFormat)
}

// replicatedHost is the model of one host on all replicas.
type replicatedHost struct {
	d        *Replicas
	key      model.Key
	replicas []*replica
	// learned is the number of pages that the fleet has learned.
	learned int
}

// replica is the model of one host on one replica, with the encodings of what the others still have to get.
type replica struct {
	model.Host
	unsent [][]byte
}

// at returns the replica that a page goes to.
func (h *replicatedHost) at(v model.Visit) *replica {
	rng := rand.New(rand.NewPCG(h.d.Seed, h.key.Hasher().String(v.URL)))
	return h.replicas[rng.IntN(len(h.replicas))]
}

// Mark implements model.Host.
func (h *replicatedHost) Mark(p *page.Page, v model.Visit) *page.Marking { return h.at(v).Mark(p, v) }

// Observe implements model.Host. It panics where increments of one detector and key don't fit together; the runner
// names the page then.
func (h *replicatedHost) Observe(p *page.Page, v model.Visit) {
	r := h.at(v)
	one, err := learn(h.d.Detector, h.key, r.Host, p, v)
	if err == nil && one != nil {
		err = r.send(one)
	}
	h.learned++
	if err == nil && h.d.Every > 0 && h.learned%h.d.Every == 0 {
		err = h.exchange()
	}
	if err != nil {
		panic(err)
	}
}

func (r *replica) send(one model.Host) error {
	encoded, err := one.Encode()
	r.unsent = append(r.unsent, encoded)
	return err
}

// learn lets h learn the page and returns what other replicas need to learn it too, nil for nothing.
func learn(d model.Detector, key model.Key, h model.Host, p *page.Page, v model.Visit) (model.Host, error) {
	if h, ok := h.(model.Incremental); ok {
		one := h.Increment(p, v)
		if one == nil {
			return nil, nil
		}
		return one, h.Add(one)
	}
	before := h.Stats().Pages
	h.Observe(p, v)
	if h.Stats().Pages == before {
		return nil, nil
	}
	one := d.New(key)
	one.Observe(p, v)
	return one, nil
}

// receive adds what another replica has sent.
func receive(d model.Detector, key model.Key, h model.Host, encoded []byte) error {
	one, err := d.Decode(key, encoded)
	if err != nil {
		return err
	}
	if h, ok := h.(model.Incremental); ok {
		return h.Add(one)
	}
	return h.Merge(one)
}

// exchange sends what each replica has learned to all others.
func (h *replicatedHost) exchange() error {
	for _, from := range h.replicas {
		for _, encoded := range from.unsent {
			for _, to := range h.replicas {
				if to == from {
					continue
				}
				if h.d.Sent != nil {
					h.d.Sent(len(encoded))
				}
				if err := receive(h.d.Detector, h.key, to.Host, encoded); err != nil {
					return err
				}
			}
		}
		from.unsent = nil
	}
	return nil
}

// Merge implements model.Host. A fleet does not merge with another.
func (*replicatedHost) Merge(model.Host) error { return model.ErrMismatch }

// Encode implements model.Host. A fleet has no encoding.
func (*replicatedHost) Encode() ([]byte, error) {
	return nil, fmt.Errorf("a model on replicas: %w", model.ErrFormat)
}

// Stats implements model.Host, with those of the replica that knows the fewest pages.
func (h *replicatedHost) Stats() model.Stats {
	least := h.replicas[0].Stats()
	for _, r := range h.replicas[1:] {
		if s := r.Stats(); s.Pages < least.Pages {
			least = s
		}
	}
	return least
}
