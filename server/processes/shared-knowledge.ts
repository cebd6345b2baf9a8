import { NodeDirectory } from '../../resolvers/node-directory.ts';
import { LogInFailures, logInLimits } from '../admission/log-in-failures.ts';
import type { Settings } from '../settings/settings.ts';
import type { Knowledge, News } from './messages.ts';

/**
 * What every process must know about failed log-ins and nodes, whichever process found it out. Each
 * process has its own copy; the parent keeps one for processes that start later.
 */
export class SharedKnowledge {
  readonly logInFailures: LogInFailures;
  readonly directory: NodeDirectory;

  /** tell: called with what this process has found out itself. */
  constructor(settings: Settings, tell: (news: News) => void = () => undefined) {
    this.logInFailures = new LogInFailures(logInLimits(settings), undefined, (change) =>
      tell({ of: 'logIn', change }),
    );
    this.directory = new NodeDirectory((context, rows) => tell({ of: 'nodes', context, rows }));
  }

  /** Applies what another process has found out. */
  hear(news: News): void {
    if (news.of === 'logIn') this.logInFailures.heard(news.change);
    else this.directory.heard(news.context, news.rows);
  }

  all(): Knowledge {
    return { logIns: this.logInFailures.counts(), nodes: this.directory.entries() };
  }

  take({ logIns, nodes }: Knowledge): void {
    this.logInFailures.take(logIns);
    for (const [context, rows] of nodes) this.directory.heard(context, rows);
  }
}
