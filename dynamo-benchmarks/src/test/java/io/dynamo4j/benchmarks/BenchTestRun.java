// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What one run of the command line gave. */
public record BenchTestRun(int code, String out, String err) {

  public static BenchTestRun of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = BenchMain.run(new PrintWriter(out), new PrintWriter(err, true), arguments);
    return new BenchTestRun(code, out.toString(), err.toString());
  }
}
