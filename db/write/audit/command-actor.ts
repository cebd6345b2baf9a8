import { hostname, userInfo } from 'node:os';
import type { AuditActor } from '../../../domain/audit/audit-entry.ts';

/** Returns who runs this process, and on which machine. */
export const commandActor = (): AuditActor => ({ user: userName(), from: hostname() || 'local' });

/** Returns who the log and the audit name for what a server does by itself. */
export const serverActor = (): AuditActor => ({ user: '(server)', from: hostname() || 'local' });

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the number of the user often has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
