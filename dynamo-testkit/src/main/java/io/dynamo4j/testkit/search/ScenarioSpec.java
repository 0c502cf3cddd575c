// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything that determines one run: seed, sizes, settings and the explicit list of faults.
 *
 * <p>{@link #toString} is one line that {@link #parse} reads back; kept as a regression file it
 * outlives the code that drew the faults.
 *
 * @param seed root of the run's chance
 * @param workers number of workers at the start
 * @param requests number of requests
 * @param settings further sizes and limits by name, such as {@code blocks}
 * @param faults what goes wrong, in no particular order
 */
public record ScenarioSpec(
    long seed,
    int workers,
    int requests,
    SortedMap<String, Double> settings,
    List<FaultSpec> faults) {

  public ScenarioSpec {
    if (workers < 1 || requests < 0) {
      throw new IllegalArgumentException(
          "sizes are out of range: workers=" + workers + ", requests=" + requests);
    }
    settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
    faults = List.copyOf(faults);
  }

  /** Returns a scenario without settings and faults. */
  public static ScenarioSpec of(long seed, int workers, int requests) {
    return new ScenarioSpec(seed, workers, requests, Collections.emptySortedMap(), List.of());
  }

  public ScenarioSpec withWorkers(int count) {
    return new ScenarioSpec(seed, count, requests, settings, faults);
  }

  public ScenarioSpec withRequests(int count) {
    return new ScenarioSpec(seed, workers, count, settings, faults);
  }

  public ScenarioSpec withFaults(List<FaultSpec> list) {
    return new ScenarioSpec(seed, workers, requests, settings, list);
  }

  /** Returns a copy with one setting replaced. */
  public ScenarioSpec withSetting(String name, double value) {
    SortedMap<String, Double> copy = new TreeMap<>(settings);
    copy.put(Objects.requireNonNull(name, "name"), value);
    return new ScenarioSpec(seed, workers, requests, copy, faults);
  }

  /** Returns a setting, or {@code absent} where the scenario has none of this name. */
  public double setting(String name, double absent) {
    return settings.getOrDefault(name, absent);
  }

  /** Reads the form that {@link #toString} writes. */
  public static ScenarioSpec parse(String line) {
    String[] parts = line.strip().split(" ", -1);
    if (parts.length != 5) {
      throw new IllegalArgumentException("scenario must have five parts: line=" + line);
    }
    SortedMap<String, Double> settings = new TreeMap<>();
    for (String setting : items(value(parts[3], "settings", line))) {
      String[] pair = setting.split(":", -1);
      settings.put(pair[0], Double.valueOf(pair[1]));
    }
    List<FaultSpec> faults = new ArrayList<>();
    for (String fault : items(value(parts[4], "faults", line))) {
      String[] fields = fault.split("\\|", -1);
      faults.add(new FaultSpec(fields[0], fields[1], fields[2], Double.parseDouble(fields[3])));
    }
    return new ScenarioSpec(
        Long.parseLong(value(parts[0], "seed", line)),
        Integer.parseInt(value(parts[1], "workers", line)),
        Integer.parseInt(value(parts[2], "requests", line)),
        settings,
        faults);
  }

  @Override
  public String toString() {
    StringBuilder line = new StringBuilder();
    line.append("seed=").append(seed);
    line.append(" workers=").append(workers);
    line.append(" requests=").append(requests);
    line.append(" settings=");
    String separator = "";
    for (Map.Entry<String, Double> setting : settings.entrySet()) {
      line.append(separator).append(setting.getKey()).append(':').append(setting.getValue());
      separator = ";";
    }
    line.append(" faults=");
    separator = "";
    for (FaultSpec fault : faults) {
      line.append(separator).append(fault.kind()).append('|').append(fault.trigger());
      line.append('|').append(fault.target()).append('|').append(fault.parameter());
      separator = ";";
    }
    return line.toString();
  }

  private static String value(String part, String name, String line) {
    if (!part.startsWith(name + "=")) {
      throw new IllegalArgumentException(
          "scenario part is missing: part=" + name + ", line=" + line);
    }
    return part.substring(name.length() + 1);
  }

  private static String[] items(String list) {
    return list.isEmpty() ? new String[0] : list.split(";", -1);
  }
}
