// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory of edges: for each address the local hash of a block and the node that the block is part
 * of. Runs never move, so an address names a block for as long as it lives, whatever nodes are
 * split or merged around it.
 *
 * <p><b>Threads.</b> One writer. Readers call {@link #match} and {@link #begins} with an address
 * that they have read after its node's version; in a run that is no more they may see anything, or
 * nothing, and the version tells them.
 */
final class BlockArena {
  /*
   * Problem    Runs of 1 to 64 blocks come and go millions of times; memory must follow.
   * Structure  A page serves runs of one size class (a multiple of 4 blocks) and is dropped when
   *            its last run is. Free runs of a page form a list through their own owner cells.
   *
   *     address       page number (22 bits) | offset in page (10 bits)
   *   hashPages     [ page -> long[1024] ]        local hashes
   *   ownerPages    [ page -> int[1024] ]         node, or a link of the free list, negative
   *   pageClass     [ page -> size class ]
   *   pageLive      [ page -> runs in use ]
   *   pageFree      [ page -> first free run ]    offset, END if none
   *   pageFresh     [ page -> first offset never used ]
   *   next/previous [ page -> page ]              pages of a class with room; gone pages
   *   roomy         [ class -> first page with room ]
   *
   * Invariants A1 a page has room, and is in its class's list, exactly if a run can be had from it
   *            A2 live blocks are the capacities of the runs in use
   * Cost       allocate and free O(1); a page of 12 KiB is allocated for 1,024 blocks. Each class
   *            keeps one empty page, so that a store and its removal do not make garbage.
   * Rejected   One array with power-of-two runs: a third of it empty. Moving runs: every entry of
   *            every rank's table would have to follow.
   */

  /** Blocks of the longest run. */
  static final int MAX_RUN = 64;

  /** What {@link #owner} says of a block that is not in use. */
  static final int NOBODY = -1;

  /** Pages that can be open: 2^29 blocks, of which no address is negative. */
  static final int MAX_PAGES = 1 << 19;

  private static final int PAGE_BITS = 10;
  private static final int PAGE_SIZE = 1 << PAGE_BITS;
  private static final int OFFSET = PAGE_SIZE - 1;
  private static final int GRAIN = 4;
  private static final int CLASSES = MAX_RUN / GRAIN + 1;
  private static final int END = PAGE_SIZE;
  private static final int NO_PAGE = -1;
  private static final int INITIAL_PAGES = 4;
  private static final long[] NO_HASHES = {};
  private static final int[] NO_OWNERS = {};

  private long[] @Nullable [] hashPages = new long[INITIAL_PAGES][];
  private int[][] ownerPages = new int[INITIAL_PAGES][];
  private int[] pageClass = new int[INITIAL_PAGES];
  private int[] pageLive = new int[INITIAL_PAGES];
  private int[] pageFree = new int[INITIAL_PAGES];
  private int[] pageFresh = new int[INITIAL_PAGES];
  private int[] next = new int[INITIAL_PAGES];
  private int[] previous = new int[INITIAL_PAGES];
  private final int[] roomy = new int[CLASSES];
  private final int maxPages;
  private int gonePage = NO_PAGE;
  private int pageCount;
  private int openPages;
  private long liveBlocks;

  BlockArena() {
    this(MAX_PAGES);
  }

  /** Makes an arena of at most {@code maxPages} pages, see {@link #pagesFor}. */
  BlockArena(int maxPages) {
    this.maxPages = maxPages;
    Arrays.fill(roomy, NO_PAGE);
  }

  /**
   * Returns the pages that an index of some held blocks may take: room for eight times as many,
   * because runs have spare blocks and places that nobody holds lead to others; and for each class
   * an empty page and one that is just begun.
   */
  static int pagesFor(long heldBlocks) {
    long pages = (Math.min(heldBlocks, (long) MAX_PAGES << PAGE_BITS) * 8) >>> PAGE_BITS;
    return (int) Math.min(pages + 2 * CLASSES, MAX_PAGES);
  }

  /** Returns whether runs of {@code blocks} blocks in all can be had, each but one the longest. */
  boolean hasRoomFor(int blocks) {
    return openPages + (blocks >>> PAGE_BITS) + 2 <= maxPages;
  }

  /** Returns the blocks that a run for {@code blocks} blocks has, at most {@link #MAX_RUN}. */
  static int capacityFor(int blocks) {
    return Math.min(MAX_RUN, (blocks + GRAIN - 1) / GRAIN * GRAIN);
  }

  /** Returns the blocks in use, spare ones of runs included. */
  long liveBlocks() {
    return liveBlocks;
  }

  /** Returns the address of a new run; {@code capacity} comes from {@link #capacityFor}. */
  int allocate(int capacity) {
    int sizeClass = capacity / GRAIN;
    int page = roomy[sizeClass];
    if (page == NO_PAGE) {
      page = openPage(sizeClass);
    }
    int offset = pageFree[page];
    if (offset != END) {
      pageFree[page] = -2 - ownerPages[page][offset];
    } else {
      offset = pageFresh[page];
      pageFresh[page] += capacity;
    }
    pageLive[page]++;
    liveBlocks += capacity;
    if (!hasRoom(page)) {
      unlink(page);
    }
    return (page << PAGE_BITS) | offset;
  }

  /** Gives a run back; its blocks must be {@link #NOBODY}'s. */
  void free(int address, int capacity) {
    int page = address >>> PAGE_BITS;
    boolean hadRoom = hasRoom(page);
    int offset = address & OFFSET;
    ownerPages[page][offset] = -2 - pageFree[page];
    pageFree[page] = offset;
    liveBlocks -= capacity;
    if (!hadRoom) {
      link(page);
    }
    boolean isLastWithRoom = next[page] == NO_PAGE && previous[page] == NO_PAGE;
    if (--pageLive[page] == 0 && !isLastWithRoom) {
      unlink(page);
      closePage(page);
    }
  }

  private boolean hasRoom(int page) {
    return pageFree[page] != END || pageFresh[page] + pageClass[page] * GRAIN <= PAGE_SIZE;
  }

  private int openPage(int sizeClass) {
    int page = gonePage;
    if (page != NO_PAGE) {
      gonePage = next[page];
    } else {
      page = pageCount++;
      if (page == hashPages.length) {
        grow(page * 2);
      }
    }
    openPages++;
    hashPages[page] = new long[PAGE_SIZE];
    ownerPages[page] = new int[PAGE_SIZE];
    pageClass[page] = sizeClass;
    pageLive[page] = 0;
    pageFree[page] = END;
    pageFresh[page] = 0;
    link(page);
    return page;
  }

  private void closePage(int page) {
    openPages--;
    hashPages[page] = NO_HASHES;
    ownerPages[page] = NO_OWNERS;
    next[page] = gonePage;
    gonePage = page;
  }

  private void grow(int pages) {
    hashPages = Arrays.copyOf(hashPages, pages);
    ownerPages = Arrays.copyOf(ownerPages, pages);
    pageClass = Arrays.copyOf(pageClass, pages);
    pageLive = Arrays.copyOf(pageLive, pages);
    pageFree = Arrays.copyOf(pageFree, pages);
    pageFresh = Arrays.copyOf(pageFresh, pages);
    next = Arrays.copyOf(next, pages);
    previous = Arrays.copyOf(previous, pages);
  }

  private void link(int page) {
    int first = roomy[pageClass[page]];
    next[page] = first;
    previous[page] = NO_PAGE;
    if (first != NO_PAGE) {
      previous[first] = page;
    }
    roomy[pageClass[page]] = page;
  }

  private void unlink(int page) {
    if (previous[page] != NO_PAGE) {
      next[previous[page]] = next[page];
    } else {
      roomy[pageClass[page]] = next[page];
    }
    if (next[page] != NO_PAGE) {
      previous[next[page]] = previous[page];
    }
  }

  /** Returns the local hash of a block in use; for the writer. */
  long hash(int address) {
    return pageOf(address)[address & OFFSET];
  }

  /** Returns the node that a block is part of, something negative if it is not in use. */
  int owner(int address) {
    int[] owners = ownerPages[address >>> PAGE_BITS];
    return owners.length == 0 ? NOBODY : owners[address & OFFSET];
  }

  /** Writes hashes into a run. */
  void write(int address, long[] from, int offset, int count) {
    System.arraycopy(from, offset, pageOf(address), address & OFFSET, count);
  }

  /** Reads hashes of a run in use; for the writer. */
  void read(int address, long[] to, int offset, int count) {
    System.arraycopy(pageOf(address), address & OFFSET, to, offset, count);
  }

  /** Makes a node, or {@link #NOBODY}, the owner of blocks. */
  void own(int address, int count, int node) {
    int offset = address & OFFSET;
    Arrays.fill(ownerPages[address >>> PAGE_BITS], offset, offset + count, node);
  }

  /** Returns whether the block at an address has a hash; for readers. */
  boolean begins(int address, long hash) {
    long[] page = pageOf(address);
    int offset = address & OFFSET;
    return offset < page.length && page[offset] == hash;
  }

  /**
   * Returns how many blocks from {@code address} on equal the query, at most {@code limit}; 0 for
   * readers whose run is gone.
   */
  int match(int address, long[] query, int from, int limit) {
    long[] page = pageOf(address);
    int offset = address & OFFSET;
    if (offset + limit > page.length) {
      return 0;
    }
    int difference = Arrays.mismatch(query, from, from + limit, page, offset, offset + limit);
    return difference < 0 ? limit : difference;
  }

  /** Returns the local hashes of the page of an address, empty if it is gone; for readers. */
  long[] pageOf(int address) {
    long[] @Nullable [] pages = hashPages;
    int page = address >>> PAGE_BITS;
    long[] found = page < pages.length ? pages[page] : null;
    return found == null ? NO_HASHES : found;
  }
}
