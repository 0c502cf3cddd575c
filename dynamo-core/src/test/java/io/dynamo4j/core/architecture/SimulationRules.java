// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static io.dynamo4j.core.architecture.Accesses.anyOf;
import static io.dynamo4j.core.architecture.Accesses.avoid;
import static io.dynamo4j.core.architecture.Accesses.constructorOf;
import static io.dynamo4j.core.architecture.Accesses.named;
import static io.dynamo4j.core.architecture.Accesses.parameterCount;
import static io.dynamo4j.core.architecture.Accesses.parameterOf;
import static io.dynamo4j.core.architecture.Accesses.parameters;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import java.lang.management.ManagementFactory;
import java.lang.ref.Cleaner;
import java.lang.ref.ReferenceQueue;
import java.net.InetAddress;
import java.nio.charset.Charset;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.chrono.ChronoLocalDate;
import java.time.temporal.TemporalAccessor;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TimeZone;
import java.util.Timer;
import java.util.TimerTask;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;

/**
 * What makes a class run the same on real threads and, reproducible from a seed, in virtual time.
 *
 * <p>Time, lanes and chance come from an {@code Environment}; nothing depends on the machine, on
 * addresses or on the order of salted hashes; a lane never waits. The one exemption is {@code
 * RealEnvironment} with its package-private parts and the threads that own a transport's sockets,
 * and packages named {@code blocking} for waiting.
 */
public final class SimulationRules {

  /** No reading of real time. */
  public static final ArchRule NO_REAL_TIME =
      rule(
          "reading real time",
          "time comes from the environment's clocks",
          named(System.class, "nanoTime", "currentTimeMillis")
              .or(named(TemporalAccessor.class, "now").and(parameterOf(Clock.class).negate()))
              .or(named(ChronoLocalDate.class, "now").and(parameterOf(Clock.class).negate()))
              .or(
                  named(
                          Clock.class,
                          "systemUTC",
                          "systemDefaultZone",
                          "system",
                          "tickMillis",
                          "tickSeconds",
                          "tickMinutes")
                      .or(named(InstantSource.class, "system")))
              .or(constructorOf(Date.class).and(parameterCount(0)))
              .or(named(Calendar.class, "getInstance")));

  /** No threads that nobody handed in. */
  public static final ArchRule NO_THREADS =
      rule(
          "threads of its own",
          "work runs on lanes",
          anyOf(
                  Thread.class,
                  ThreadGroup.class,
                  Timer.class,
                  TimerTask.class,
                  Executors.class,
                  AbstractExecutorService.class,
                  ForkJoinTask.class)
              .and(access -> !isOwnThread(access))
              .and(access -> !isHarness(access.getOriginOwner()))
              .or(named(Collection.class, "parallelStream"))
              .or(named(BaseStream.class, "parallel"))
              .or(named(Arrays.class, "parallelSort", "parallelPrefix", "parallelSetAll")));

  /** No asynchronous continuation without an executor of one's own. */
  public static final ArchRule NO_DEFAULT_EXECUTOR =
      rule(
          "asynchronous stages on the default executor",
          "that executor is a hidden pool, or a new thread per task on small machines",
          ((Predicate<JavaAccess<?>>)
                  access ->
                      access.getName().endsWith("Async")
                          && access.getTargetOwner().isAssignableTo(CompletionStage.class))
              .and(parameterOf(Executor.class).negate())
              .or(named(CompletableFuture.class, "defaultExecutor")));

  /** No timeouts of completable futures. */
  public static final ArchRule NO_STATIC_TIMER =
      rule(
          "timeouts of CompletableFuture",
          "one static timer thread in real time runs them",
          named(CompletableFuture.class, "orTimeout", "completeOnTimeout", "delayedExecutor"));

  /** No {@code SubmissionPublisher}. */
  public static final ArchRule NO_SUBMISSION_PUBLISHER =
      rule(
          "SubmissionPublisher",
          "it runs on the default executor and waits in real time",
          anyOf(SubmissionPublisher.class));

  /** No waiting, except in packages named {@code blocking}. */
  public static final ArchRule NO_WAITING =
      classes()
          .that(areSimulated())
          .and(not(areHarness()))
          .and()
          .resideOutsideOfPackage("..blocking..")
          .should(
              avoid(
                  "waiting",
                  named(Future.class, "get", "join")
                      .or(named(CompletableFuture.class, "get", "join"))
                      .or(named(ForkJoinTask.class, "get", "join", "invoke"))
                      .or(named(CountDownLatch.class, "await"))
                      .or(named(CyclicBarrier.class, "await"))
                      .or(named(Phaser.class, "arriveAndAwaitAdvance", "awaitAdvance"))
                      .or(named(Condition.class, "await", "awaitNanos", "awaitUntil"))
                      .or(named(Condition.class, "awaitUninterruptibly"))
                      .or(named(Semaphore.class, "acquire", "acquireUninterruptibly"))
                      .or(named(Semaphore.class, "tryAcquire").and(parameterOf(TimeUnit.class)))
                      .or(named(Lock.class, "tryLock").and(parameterCount(2)))
                      .or(named(Exchanger.class, "exchange"))
                      .or(named(BlockingQueue.class, "put", "take"))
                      .or(
                          named(BlockingQueue.class, "poll", "offer")
                              .and(parameterOf(TimeUnit.class)))
                      .or(named(CompletionService.class, "take"))
                      .or(
                          named(
                              ExecutorService.class, "awaitTermination", "invokeAll", "invokeAny"))
                      .or(named(ExecutorService.class, "close"))
                      .or(named(Thread.class, "sleep", "join", "yield", "onSpinWait"))
                      .or(named(TimeUnit.class, "sleep", "timedJoin", "timedWait"))
                      .or(named(LockSupport.class, "park", "parkNanos", "parkUntil"))
                      .or(named(Process.class, "waitFor"))
                      .or(SimulationRules::isObjectWait)))
          .as("simulated classes should not wait outside of packages named blocking")
          .because("a lane that waits stops everything that belongs to it")
          .allowEmptyShould(true);

  /** No chance without a seed. */
  public static final ArchRule NO_UNSEEDED_CHANCE =
      rule(
          "unseeded chance",
          "chance comes from the environment's RandomSource",
          named(Math.class, "random")
              .or(named(StrictMath.class, "random"))
              .or(anyOf(ThreadLocalRandom.class, SecureRandom.class, RandomGeneratorFactory.class))
              .or(constructorOf(Random.class, SplittableRandom.class).and(parameterCount(0)))
              .or(named(RandomGenerator.class, "getDefault", "of"))
              .or(named(UUID.class, "randomUUID"))
              .or(named(Collections.class, "shuffle").and(parameterCount(1))));

  /** No collections whose order is salted per start of the JVM. */
  public static final ArchRule NO_SALTED_ORDER =
      orderRule(
          "collections of salted order",
          "Set.of and Map.of iterate differently in each JVM; copy into a LinkedHashMap or TreeMap",
          named(Set.class, "of")
              .or(named(Map.class, "of"))
              .and(SimulationRules::holdsSeveral)
              .or(named(Set.class, "copyOf"))
              .or(named(Map.class, "copyOf", "ofEntries"))
              .or(named(Collectors.class, "toUnmodifiableSet", "toUnmodifiableMap")));

  /** No hash tables, whose order follows identity hashes as soon as a key is an enum or lambda. */
  public static final ArchRule NO_HASH_ORDER =
      orderRule(
          "hash tables",
          "identity hashes order them; use EnumMap, LinkedHashMap, TreeMap or primitive maps",
          constructorOf(HashMap.class, HashSet.class, ConcurrentHashMap.class)
              .or(named(ConcurrentHashMap.class, "newKeySet"))
              .or(named(Collectors.class, "toSet"))
              .or(named(Collectors.class, "toMap").and(parameterCount(4).negate()))
              .or(named(Collectors.class, "groupingBy").and(parameterCount(3).negate())));

  /** Nothing that depends on addresses or the garbage collector. */
  public static final ArchRule NO_IDENTITY =
      rule(
          "identity hashes and reachability",
          "they depend on addresses and garbage collection",
          named(System.class, "identityHashCode")
              .or(
                  anyOf(
                      IdentityHashMap.class,
                      WeakHashMap.class,
                      Cleaner.class,
                      ReferenceQueue.class)));

  /** No thread locals. */
  public static final ArchRule NO_THREAD_LOCAL =
      rule(
          "thread locals",
          "one thread plays every node in simulation; context travels in the request",
          anyOf(ThreadLocal.class));

  /** No static state. */
  public static final ArchRule NO_STATIC_STATE =
      classes()
          .that(areSimulated())
          .should(ImmutableStatics.haveOnlyImmutableStatics())
          .because("a second run in one JVM would start elsewhere than the first")
          .allowEmptyShould(true);

  /** Nothing that depends on the machine or its settings. */
  public static final ArchRule NO_MACHINE =
      rule(
          "the machine and its settings",
          "behaviour would differ between machines; settings come through builders",
          anyOf(Runtime.class, ManagementFactory.class)
              .or(named(System.class, "getProperty", "getProperties", "getenv", "setProperty"))
              .or(named(System.class, "lineSeparator"))
              .or(named(Integer.class, "getInteger"))
              .or(named(Long.class, "getLong"))
              .or(named(Boolean.class, "getBoolean"))
              .or(named(InetAddress.class, "getLocalHost"))
              .or(named(Locale.class, "getDefault"))
              .or(named(TimeZone.class, "getDefault"))
              .or(named(ZoneId.class, "systemDefault"))
              .or(named(Charset.class, "defaultCharset"))
              .and(access -> !isHarness(access.getOriginOwner())));

  /** No monitors. */
  public static final ArchRule NO_MONITORS =
      classes()
          .that(areSimulated())
          .should(Monitors.avoidMonitors())
          .because("state belongs to a lane, or to a class that documents how it is shared")
          .allowEmptyShould(true);

  private static final String REAL_ENVIRONMENT = "io.dynamo4j.core.runtime.RealEnvironment";

  private static final Set<String> HARNESS_PACKAGES =
      Set.of(
          "io.dynamo4j.testkit.contract",
          "io.dynamo4j.testkit.contracts",
          "io.dynamo4j.testkit.search");

  /** Threads that own a transport's sockets; no part of any simulation. */
  private static final Set<String> SOCKET_THREADS =
      Set.of("io.dynamo4j.transport.nats.NatsThread", "io.dynamo4j.transport.zmq.ZmqThread");

  private static final String READER_THREAD = "io.dynamo4j.testkit.simulation.BatonThread";

  private static final String SIMULATION = "io.dynamo4j.testkit.simulation.Simulation";

  private SimulationRules() {}

  /** Returns every rule. */
  public static List<ArchRule> all() {
    return List.of(
        NO_REAL_TIME,
        NO_THREADS,
        NO_DEFAULT_EXECUTOR,
        NO_STATIC_TIMER,
        NO_SUBMISSION_PUBLISHER,
        NO_WAITING,
        NO_UNSEEDED_CHANCE,
        NO_SALTED_ORDER,
        NO_HASH_ORDER,
        NO_IDENTITY,
        NO_THREAD_LOCAL,
        NO_STATIC_STATE,
        NO_MACHINE,
        NO_MONITORS);
  }

  private static ArchRule rule(
      String forbidden, String reason, Predicate<JavaAccess<?>> predicate) {
    ArchCondition<JavaClass> condition = avoid(forbidden, predicate);
    return classes().that(areSimulated()).should(condition).because(reason).allowEmptyShould(true);
  }

  /** A rule that {@link OrderIrrelevant} exempts from. */
  private static ArchRule orderRule(
      String forbidden, String reason, Predicate<JavaAccess<?>> predicate) {
    Predicate<JavaAccess<?>> exempt =
        access -> outermost(access.getOriginOwner()).isAnnotatedWith(OrderIrrelevant.class);
    return rule(forbidden, reason, predicate.and(exempt.negate()));
  }

  /** All classes but the real environment: that class, what it nests, its package-private parts. */
  private static DescribedPredicate<JavaClass> areSimulated() {
    return describe("are simulated", javaClass -> !isPartOfRealEnvironment(javaClass));
  }

  /**
   * What drives simulations and real lanes from outside: contract tests, searches, reader threads.
   */
  static DescribedPredicate<JavaClass> areHarness() {
    return describe("are part of a test harness", SimulationRules::isHarness);
  }

  private static boolean isHarness(JavaClass javaClass) {
    return HARNESS_PACKAGES.contains(javaClass.getPackageName())
        || outermost(javaClass).getName().equals(READER_THREAD);
  }

  private static boolean isPartOfRealEnvironment(JavaClass javaClass) {
    JavaClass outermost = outermost(javaClass);
    return outermost.getName().equals(REAL_ENVIRONMENT)
        || SOCKET_THREADS.contains(outermost.getName())
        || (outermost.getPackageName().equals("io.dynamo4j.core.runtime")
            && outermost.getSimpleName().startsWith("Real")
            && !outermost.getModifiers().contains(JavaModifier.PUBLIC));
  }

  private static JavaClass outermost(JavaClass javaClass) {
    JavaClass outermost = javaClass;
    while (outermost.getEnclosingClass().isPresent()) {
      outermost = outermost.getEnclosingClass().get();
    }
    return outermost;
  }

  /** An adapter that waits hands an interrupt on; the simulation checks that it has one thread. */
  private static boolean isOwnThread(JavaAccess<?> access) {
    boolean ownThread =
        access.getTargetOwner().isEquivalentTo(Thread.class)
            && Set.of("currentThread", "interrupt", "getName").contains(access.getName());
    return ownThread
        && (access.getOriginOwner().getPackageName().contains(".blocking")
            || outermost(access.getOriginOwner()).getName().equals(SIMULATION));
  }

  private static boolean isObjectWait(JavaAccess<?> access) {
    return access.getName().equals("wait")
        && parameters(access).stream().allMatch(JavaClass::isPrimitive);
  }

  /** Nothing and a single element have but one order. */
  private static boolean holdsSeveral(JavaAccess<?> access) {
    List<JavaClass> parameters = parameters(access);
    int single = access.getTargetOwner().isEquivalentTo(Map.class) ? 2 : 1;
    return parameters.size() > single || parameters.stream().anyMatch(JavaClass::isArray);
  }
}
