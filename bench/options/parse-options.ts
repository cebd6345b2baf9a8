import { type ParseArgsConfig, parseArgs } from 'node:util';

export function parse<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

export function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  return refuse(`--${name} takes a whole number from 1, got ${text}`);
}

export function showHelp(text: string): never {
  console.log(`npm --prefix bench run ${text.replace('\n', ' -- [options]\n\n')}`);
  process.exit(0);
}

export function refuse(message: string): never {
  console.error(`${message} (--help shows all options)`);
  process.exit(2);
}
