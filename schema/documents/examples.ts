/** A query that the explorer offers with one click. The explorer fills in `$context`. */
export type Example = {
  readonly title: string;
  readonly query: string;
  /** The values of its variables other than `$context`. */
  readonly variables?: Readonly<Record<string, string | null>>;
};

/**
 * The examples use groups that every import of flows declares, and windows that are anchored where
 * the data ends. So they have answers whenever there is data, however old it is.
 */
export const EXAMPLES: readonly [Example, ...Example[]] = [
  {
    title: 'Top talkers of the last hour',
    query: `# The hosts with the most bytes in the newest hour of data.
query TopTalkers($context: String!) {
  context(name: $context) {
    id
    counterGroup(name: "Hosts") {
      id
      name
      topper(window: { recentSeconds: 3600 }, maxItems: 10) {
        window { from to }
        meter { id name units }
        keyCount
        total
        others
        keys {
          rank
          key
          label
          readable
          metric
          share
          averageRate
        }
      }
    }
  }
}`,
  },
  {
    title: 'Groups with meters',
    query: `# What is counted, and the meters to rank it by.
query GroupsWithMeters($context: String!) {
  context(name: $context) {
    id
    counterGroups {
      id
      guid
      name
      keyKind
      bucketSize
      timeInterval { from to }
      meters { id index name type units description }
      drilldowns { id guid name }
    }
  }
}`,
  },
  {
    title: 'Today against yesterday',
    query: `# The newest two hours of data against the same two hours a
# day before. All of today: window: { preset: TODAY }
query TodayAgainstYesterday($context: String!) {
  context(name: $context) {
    id
    counterGroup(name: "Apps") {
      id
      name
      topper(window: { recentSeconds: 7200 }, maxItems: 10) {
        window { from to }
        keys {
          rank
          key
          label
          metric
          previous(ago: 86400) {
            rank
            metric
            change
            changeRatio
          }
        }
      }
    }
  }
}`,
  },
  {
    title: 'Drill from a host to its apps',
    query: `# The largest hosts, and under each the applications
# that make up its traffic.
query HostsToApps($context: String!) {
  context(name: $context) {
    id
    counterGroup(name: "Hosts") {
      id
      topper(window: { recentSeconds: 3600 }, maxItems: 5) {
        keys {
          rank
          key
          label
          readable
          metric
          drilldown(name: "Hosts × Apps", maxItems: 5) {
            total
            others
            keys { rank key label metric share }
          }
        }
      }
    }
  }
}`,
  },
  {
    title: 'Percentiles and peaks',
    query: `# How bursty hosts are: half of the five-minute values of a
# host are at most that of rank 50, 95 of 100 that of rank 95.
query Percentiles($context: String!) {
  context(name: $context) {
    id
    counterGroup(name: "Hosts") {
      id
      topperBucketSize
      topper(window: { recentSeconds: 86400 }, maxItems: 10) {
        keys {
          rank
          key
          label
          metric
          peak
          percentiles(ranks: [50, 95, 99]) { rank value }
        }
      }
    }
  }
}`,
  },
  {
    title: "A chart's series",
    query: `# Five series and the others: one upon the other, they are
# the total of each five minutes.
query ChartSeries($context: String!) {
  context(name: $context) {
    id
    counterGroup(name: "Apps") {
      id
      topper(window: { recentSeconds: 3600 }, maxItems: 5) {
        window { from to }
        series(step: 300) { at total others }
        keys {
          key
          label
          series(step: 300) { at value }
        }
      }
    }
  }
}`,
  },
  {
    title: 'Search for keys',
    query: `# Keys by a text in their label or readable form. For the
# next page put endCursor into the variable "after".
query SearchKeys(
  $context: String!
  $search: String!
  $after: String
) {
  context(name: $context) {
    id
    counterGroup(name: "Hosts") {
      id
      keys(search: $search, first: 20, after: $after) {
        totalCount
        pageInfo { hasNextPage endCursor }
        edges {
          node {
            id
            key
            readable
            label
            attributes { name value }
          }
        }
      }
    }
  }
}`,
    variables: { search: 'mail', after: null },
  },
  {
    title: 'Slices and pools',
    query: `# Where the data lies, and for which times there is any.
query SlicesAndPools($context: String!) {
  context(name: $context) {
    id
    nodeName
    haSlaveMode
    totalWindow { from to seconds }
    slices {
      id
      name
      status
      timeInterval { from to }
      diskSize
    }
    pools {
      id
      name
      status
      totalSize
      availSize
      fileSystem
      mounted
    }
  }
}`,
  },
];
