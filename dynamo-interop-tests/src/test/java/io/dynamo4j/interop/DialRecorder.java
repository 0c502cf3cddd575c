// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.IntegerValue;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.Value;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.connect.ListeningConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Notes every port that another JVM dials, whatever library does it: each connect of the JDK goes
 * through one class, where this halts it as a debugger does. The debugger's own connection is made
 * outside the JDK and not noted.
 */
final class DialRecorder implements AutoCloseable {
  private static final String CONNECTS = "sun.nio.ch.Net";
  private static final int PATIENCE_MILLIS = 120_000;

  private final ListeningConnector connector;
  private final Map<String, Connector.Argument> arguments;
  private final String address;
  private final Set<Integer> ports = new TreeSet<>();

  private DialRecorder(ListeningConnector connector, Map<String, Connector.Argument> arguments)
      throws IOException, IllegalConnectorArgumentsException {
    this.connector = connector;
    this.arguments = arguments;
    this.address = connector.startListening(arguments);
  }

  /** Listens on any free port for a process that is started with {@link #option}. */
  static DialRecorder listen() throws IOException, IllegalConnectorArgumentsException {
    for (ListeningConnector each : Bootstrap.virtualMachineManager().listeningConnectors()) {
      if (each.name().equals("com.sun.jdi.SocketListen")) {
        Map<String, Connector.Argument> arguments = each.defaultArguments();
        Objects.requireNonNull(arguments.get("localAddress")).setValue("127.0.0.1");
        Objects.requireNonNull(arguments.get("port")).setValue("0");
        Objects.requireNonNull(arguments.get("timeout")).setValue(String.valueOf(PATIENCE_MILLIS));
        return new DialRecorder(each, arguments);
      }
    }
    throw new IllegalStateException("this JDK has no debugger interface over sockets");
  }

  /** Returns what makes a JVM wait for this at its start. */
  String option() {
    String port = address.substring(address.lastIndexOf(':') + 1);
    return "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:" + port;
  }

  /** Takes the process in and follows it to its end; returns the ports that it has dialled. */
  Set<Integer> follow() throws Exception {
    VirtualMachine machine = connector.accept(arguments);
    ClassPrepareRequest loaded = machine.eventRequestManager().createClassPrepareRequest();
    loaded.addClassFilter(CONNECTS);
    loaded.setSuspendPolicy(EventRequest.SUSPEND_ALL);
    loaded.enable();
    machine.classesByName(CONNECTS).forEach(DialRecorder::halt);
    machine.resume();
    try {
      while (true) {
        EventSet events = machine.eventQueue().remove();
        for (Event event : events) {
          note(event);
        }
        events.resume();
      }
    } catch (VMDisconnectedException ended) {
      return ports;
    }
  }

  private void note(Event event) throws IncompatibleThreadStateException {
    if (event instanceof ClassPrepareEvent loaded) {
      halt(loaded.referenceType());
    } else if (event instanceof BreakpointEvent reached) {
      List<Value> values = reached.thread().frame(0).getArgumentValues();
      ports.add(((IntegerValue) values.get(values.size() - 1)).value());
    }
  }

  /** Halts each method that connects a socket: those that end in an address and a port. */
  private static void halt(ReferenceType connects) {
    List<Method> methods = connects.methodsByName("connect");
    if (methods.isEmpty()) {
      throw new IllegalStateException("JDK without a place that connects: type=" + connects);
    }
    for (Method method : methods) {
      List<String> types = method.argumentTypeNames();
      if (!types.get(types.size() - 1).equals("int")) {
        continue;
      }
      BreakpointRequest reached =
          connects
              .virtualMachine()
              .eventRequestManager()
              .createBreakpointRequest(method.location());
      reached.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
      reached.enable();
    }
  }

  @Override
  public void close() throws IOException, IllegalConnectorArgumentsException {
    connector.stopListening(arguments);
  }
}
