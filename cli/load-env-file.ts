import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { reasonOf } from '../domain/text/reason-of.ts';
import { SettingsError } from '../server/settings/settings.ts';

/**
 * Reads a file of `NAME=value` lines into `env`, if the file exists. Variables that are already set
 * stay, even if they are empty. Throws if the file cannot be read or has invalid lines.
 */
export function loadEnvFile(path: string, env: NodeJS.ProcessEnv): void {
  if (!existsSync(path)) return;
  const values = parseSettings(path, readText(path));
  for (const [name, value] of Object.entries(values)) {
    env[name] ??= value;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = reasonOf(error);
    throw new SettingsError([
      `cannot read ${path}: ${reason}: ` +
        'make it a file that the user who starts the program may read, or remove it',
    ]);
  }
}

/**
 * Matches one setting and its line break. As in Node's parser, a value that begins with a quote
 * extends to the next such quote, across lines if necessary. If there is none, it ends with the
 * line.
 */
const SETTING =
  /[ \t]*(?:export[ \t]+)?([^\s=#"'`]+[ \t]*=[ \t]*(?:(["'`])[\s\S]*?\2)?[^\n]*(?:\n|$))/y;

const BLANK_OR_COMMENT = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;

const LINE = /[^\n]*(?:\n|$)/y;

/**
 * Parses the settings of a file. Node's parser skips an invalid line, or joins it with the next
 * into one name, so it gets each setting alone. Invalid lines are reported by number only, because
 * their content may be secret.
 */
function parseSettings(path: string, content: string): Record<string, string | undefined> {
  const text = content.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const values: Record<string, string | undefined> = {};
  const mistakes: string[] = [];
  for (let at = 0, line = 1; at < text.length; ) {
    const setting = matchAt(SETTING, text, at);
    const entry = setting ?? matchAt(BLANK_OR_COMMENT, text, at);
    if (setting?.[1]) Object.assign(values, parseEnv(`${setting[1]}\n`));
    if (!entry) {
      mistakes.push(`${path}, line ${line} must be NAME=value, or a comment after #: correct it`);
    }
    const [taken = ''] = entry ?? matchAt(LINE, text, at) ?? [];
    at += taken.length;
    line += taken.split('\n').length - 1;
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return values;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
