import { SETTING_TEXTS } from '../server/settings/setting-texts.ts';
import { SETTING_FORMS } from '../server/settings/settings.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Documents the settings of server/settings/settings.ts, in their order there. */
export const settingsPart = (): string =>
  markdownTable(
    ['variable', 'default', 'must be', 'meaning'],
    SETTING_FORMS.map(({ name, must, fallback }) => {
      const { absent, meaning } = SETTING_TEXTS[name];
      return [code(name), absent ?? shownDefault(fallback), String(must), meaning];
    }),
  );

const shownDefault = (fallback: unknown): string => {
  const text = String(fallback ?? '');
  return text === '' ? 'none' : code(text);
};
