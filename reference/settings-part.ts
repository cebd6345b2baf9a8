import { SETTING_TEXTS } from '../server/setting-texts.ts';
import { SETTING_FORMS } from '../server/settings.ts';
import { code, markdownTable } from './markdown-table.ts';

/** server/settings.ts, in its order. */
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
