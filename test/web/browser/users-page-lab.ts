import { setAdmin } from '../../../access/accounts.ts';
import { addUser } from '../../../access/users.ts';
import { ADA, CONTEXT, type Credentials, type TestService } from '../../support/lab/service.ts';
import { HOSTS } from './page-lab.ts';

export const BOSS: Credentials = { username: 'boss', token: 'boss-token' };
export const RITA: Credentials = { username: 'rita', token: 'rita-token' };

export const USERS = '?view=users&tz=UTC';

/** Has an administrator without grants, a group, and a user with a limited grant; besides ada. */
export async function resetUsers(lab: TestService): Promise<void> {
  await lab.sql(`delete from users where username <> '${ADA.username}'`);
  await lab.sql('delete from audit');
  await lab.addUser(BOSS, []);
  await lab.addUser(RITA, [CONTEXT]);
  await lab.write(async (to) => {
    await setAdmin(to, { name: 'boss', isGroup: false, isAdmin: true });
    await addUser(to, { name: 'ops', isGroup: true, contexts: [CONTEXT], role: 'editor' });
    await addUser(to, {
      name: 'rita',
      contexts: [CONTEXT],
      limit: { networks: ['10.0.0.0/8', '2001:db8::/32'], probes: ['west'], groups: [HOSTS] },
    });
  });
  await lab.sql(`update users set shown_name = 'Rita R.' where username = 'rita'`);
}
