import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { SettingsError } from '../server/settings/settings.ts';

/**
 * Sets in `env` what a file of lines `NAME=value` says, where there is one; what is set already
 * stays, even if it is empty. Errors: it cannot be read, or has lines that are no settings.
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError([
      `cannot read ${path}: ${reason}: ` +
        'it must be a file that whoever starts the program may read, or not be there',
    ]);
  }
}

/**
 * A setting with its line end. As for Node's parser, a value that begins with a quote goes on to
 * the next such quote, over lines if need be; if there is none, it ends with the line.
 */
const SETTING =
  /[ \t]*(?:export[ \t]+)?([^\s=#"'`]+[ \t]*=[ \t]*(?:(["'`])[\s\S]*?\2)?[^\n]*(?:\n|$))/y;

const BLANK_OR_COMMENT = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;

const LINE = /[^\n]*(?:\n|$)/y;

/**
 * Node's parser passes over a line that is none, or takes it and the next for one name. So it gets
 * each setting alone, and the other lines are told by their numbers: what is in them may be secret.
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
