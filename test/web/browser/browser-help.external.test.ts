import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADA, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Opening, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { startPageLab } from './page-lab.ts';

describeInBrowser('the help', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search: string, opening: Opening = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA, ...opening });
    await dashboard.settled();
    return dashboard;
  };
  const help = () => dashboard.page.getByRole('dialog', { name: 'Help' });
  const field = () => help().getByRole('searchbox', { name: 'Search the help' });
  const heading = (name: string) => help().getByRole('heading', { name, exact: true });

  it('opens where it explains the view, is searched by keyboard, and closes', async () => {
    const { page, complaints } = await open('?view=alerts&context=lab&tz=UTC');
    await page.keyboard.press('?');
    await heading('Use the dashboard').waitFor();
    await expect.poll(() => heading('Alerts').isVisible()).toBe(true);
    await expect.poll(() => field().evaluate((own) => own === document.activeElement)).toBe(true);
    await page.keyboard.type('what is a meter?');
    await help().getByRole('link', { name: 'Meter – The words' }).click();
    await heading('The words').waitFor();
    await expect.poll(() => heading('Meter').evaluate(isAtTop)).toBe(true);
    await page.goBack();
    await heading('Use the dashboard').waitFor();
    await page.keyboard.press('Escape');
    await help().waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/\?view=alerts&context=lab[^#]*$/);
    expect(complaints).toEqual([]);
  });

  it('says so if no section has the words that are looked for', async () => {
    const { page } = await open('?view=storage&context=lab&tz=UTC#help=');
    await field().waitFor();
    expect(await help().getByRole('heading', { level: 3 }).allTextContents()).toEqual([
      'First steps',
      'How to',
      'Explanations',
      'Reference',
    ]);
    await page.keyboard.type('xylophone');
    await help().getByText('Nothing in the help has all the words of “xylophone”.').waitFor();
  });

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fits into %i px, %s', async (width, colorScheme) => {
    const { page, shoot } = await open('#help=how-to/alerts.md', {
      width,
      height: 900,
      colorScheme,
    });
    await heading('Get notified when something happens').waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await violations(page, 'all')).toEqual([]);
    await shoot(`help-${width}-${colorScheme}`);
    await field().fill('webhook');
    await help()
      .getByRole('link', { name: /webhook/i })
      .first()
      .waitFor();
    expect(await violations(page, 'all')).toEqual([]);
    await help().getByRole('link', { name: 'All pages' }).click();
    await help().getByRole('heading', { name: 'How to' }).waitFor();
    expect(await violations(page, 'all')).toEqual([]);
  });
});

const isAtTop = (heading: Element): boolean => {
  const article = heading.closest('article')?.getBoundingClientRect();
  return Math.abs(heading.getBoundingClientRect().top - (article?.top ?? 0)) < 40;
};
