import type { Account } from '../db/sql/accounts.ts';

/** A change of users, tokens or grants is refused for a reason that the message explains. */
export class AccessError extends Error {
  /** What is wrong, without the command that helps. */
  readonly reason: string;

  /** command: what to type next, for those who change users by commands. */
  constructor(reason: string, command?: string) {
    super(command === undefined ? reason : `${reason}: ${command}`);
    this.name = 'AccessError';
    this.reason = reason;
  }
}

export const unknownUser = (name: string): AccessError =>
  new AccessError(`There is no user ${name}`, '`countergraph user list` shows all');

export const unknownAccount = ({ name, isGroup }: Account): AccessError =>
  isGroup
    ? new AccessError(`Nothing is granted to a group ${name}`, '`countergraph user list` shows all')
    : unknownUser(name);
