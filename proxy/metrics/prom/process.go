package prom

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// ticks is the unit of CPU time in /proc: USER_HZ, which is 100 on every architecture that Go runs on.
const ticks = 100

// Process returns the families of this process, from Linux' /proc (proc_pid_stat(5)). Elsewhere there are none.
func Process() (families []Family) {
	add := func(t Type, name, help string, v float64, err error) {
		if err == nil {
			families = append(families, Single(t, "process_"+name, help, v))
		}
	}
	stat, err := readStat("/proc/self/stat")
	add(TypeCounter, "cpu_seconds_total", "CPU time of the process.", (stat.user+stat.system)/ticks, err)
	add(TypeGauge, "virtual_memory_bytes", "Size of the process's address space.", stat.virtual, err)
	add(TypeGauge, "resident_memory_bytes", "Memory of the process that is in RAM.", stat.resident*float64(os.Getpagesize()), err)
	boot, bootErr := field("/proc/stat", "btime ")
	add(TypeGauge, "start_time_seconds", "When the process began, in seconds since 1970.", boot+stat.start/ticks, errors.Join(err, bootErr))
	files, err := field("/proc/self/limits", "Max open files")
	add(TypeGauge, "max_fds", "Files that the process may have open.", files, err)
	space, err := field("/proc/self/limits", "Max address space")
	add(TypeGauge, "virtual_memory_max_bytes", "Largest address space that the process may have.", space, err)
	open, err := os.ReadDir("/proc/self/fd")
	add(TypeGauge, "open_fds", "Files that the process has open.", float64(len(open)), err)
	return families
}

// stat is what a stat file of /proc says of a process: times in ticks, start since boot, virtual in bytes, resident in
// pages.
type stat struct{ user, system, start, virtual, resident float64 }

func readStat(file string) (stat, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(b))
}

// parseStat reads a stat file. The name of the program, the second field, is in parentheses and may hold any character.
func parseStat(text string) (s stat, err error) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // from the third field on
	if len(fields) < 22 {
		return stat{}, fmt.Errorf("%d fields after the program's name", len(fields))
	}
	for i, to := range map[int]*float64{14: &s.user, 15: &s.system, 22: &s.start, 23: &s.virtual, 24: &s.resident} {
		if *to, err = strconv.ParseFloat(fields[i-3], 64); err != nil {
			return stat{}, err
		}
	}
	return s, nil
}

// field returns the number after the given beginning of a line of a file. "unlimited" is the largest number of 64 bits,
// as getrlimit(2) has it.
func field(file, line string) (float64, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for l := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(l, line); ok {
			words := strings.Fields(rest)
			if len(words) == 0 {
				break
			}
			if words[0] == "unlimited" {
				return math.MaxUint64, nil
			}
			return strconv.ParseFloat(words[0], 64)
		}
	}
	return 0, fmt.Errorf("%s has no line %q", file, line)
}
