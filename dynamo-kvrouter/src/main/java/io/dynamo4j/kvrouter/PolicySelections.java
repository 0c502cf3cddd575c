// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.kvrouter.PolicyFile.WorkerSelection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The part of a policy file that names selections of workers, and the variables that do. */
final class PolicySelections {
  static final PolicySelections NONE =
      new PolicySelections(new LinkedHashMap<>(), new LinkedHashMap<>());

  private static final List<String> ROLES = List.of("aggregated", "prefill", "decode", "encode");
  private static final String VARIABLE_OF_ALL = "DYN_ROUTER_WORKER_SELECTION_POLICY";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]+");
  static final String BUILT_IN = "default";

  private final Map<String, WorkerSelection> instances;
  private final Map<String, WorkerSelection> byRole;

  private PolicySelections(
      Map<String, WorkerSelection> instances, Map<String, WorkerSelection> byRole) {
    this.instances = instances;
    this.byRole = Collections.unmodifiableMap(byRole);
  }

  /** Returns whether a selection, or a kind of one, may be called so. */
  static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /** Returns the selection of each role that has one of its own; unmodifiable. */
  Map<String, WorkerSelection> byRole() {
    return byRole;
  }

  /**
   * Returns the selection of each role as variables name it, and where they do not, a file.
   *
   * @throws IllegalArgumentException if a name is none
   */
  static Map<String, WorkerSelection> named(Map<String, String> environment, PolicyFile file) {
    Map<String, WorkerSelection> named = new LinkedHashMap<>();
    for (String role : ROLES) {
      String variable = "DYN_ROUTER_" + role.toUpperCase(Locale.ROOT) + "_POLICY";
      boolean hasOwn = role.equals("prefill") || role.equals("decode");
      String name = hasOwn ? environment.getOrDefault(variable, "").strip() : "";
      if (name.isEmpty()) {
        name = environment.getOrDefault(VARIABLE_OF_ALL, "").strip();
        variable = VARIABLE_OF_ALL;
      }
      WorkerSelection selection =
          name.isEmpty()
              ? file.selections().byRole().get(role)
              : file.selections().byName(variable, name);
      if (selection != null) {
        named.put(role, selection);
      }
    }
    return Collections.unmodifiableMap(named);
  }

  /** Returns an instance, else a policy without parameters; null for the built-in one. */
  private @Nullable WorkerSelection byName(String variable, String name) {
    if (name.equals(BUILT_IN)) {
      return null;
    }
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "worker selection needs a name of letters, digits, _ . -: " + variable + "=" + name);
    }
    WorkerSelection instance = instances.get(name);
    return instance == null ? new WorkerSelection(name, name, Collections.emptyMap()) : instance;
  }

  /**
   * Reads the instances and which role has which.
   *
   * @throws IllegalArgumentException if something is wrong
   */
  static PolicySelections read(PolicyFields fields) {
    Map<String, WorkerSelection> instances = new LinkedHashMap<>();
    for (PolicyFields each : fields.list("instances")) {
      WorkerSelection instance = readInstance(each);
      if (instances.put(instance.name(), instance) != null) {
        throw new IllegalArgumentException(
            "worker selection stands twice: name=" + instance.name());
      }
    }
    Map<String, WorkerSelection> byRole = new LinkedHashMap<>();
    for (String role : ROLES) {
      fields.text(
          role,
          name -> {
            WorkerSelection instance = instances.get(name);
            if (instance != null) {
              byRole.put(role, instance);
            } else if (!name.equals(BUILT_IN)) {
              throw new IllegalArgumentException(
                  "worker selection is not one of instances: role=" + role + ", name=" + name);
            }
          });
    }
    fields.requireNothingElse();
    return new PolicySelections(instances, byRole);
  }

  private static WorkerSelection readInstance(PolicyFields fields) {
    String name = fields.requiredText("name");
    if (!isName(name) || name.equals(BUILT_IN)) {
      throw new IllegalArgumentException(
          "worker selection needs a name of letters, digits, _ . - other than default: name="
              + name);
    }
    String type = fields.requiredText("type");
    Map<String, Object> parameters = new LinkedHashMap<>();
    fields
        .map("parameters")
        .all()
        .forEach(
            (key, value) -> {
              if (value != null) {
                parameters.put(key, value);
              }
            });
    fields.requireNothingElse();
    return new WorkerSelection(name, type, Collections.unmodifiableMap(parameters));
  }
}
