import type { Command, Option } from 'commander';
import { createProgram } from '../cli/program.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Documents every command with its arguments and options, as `--help` shows them. */
export async function commandParts(): Promise<string> {
  const program = await createProgram([]);
  return leavesOf(program, [])
    .map(({ command, names }) => section(command, names))
    .join('\n\n');
}

type Leaf = { readonly command: Command; readonly names: readonly string[] };

/** Returns the runnable commands. One with subcommands is only if it has options of its own. */
function leavesOf(command: Command, names: readonly string[]): Leaf[] {
  const isRoot = names.length === 0;
  const isRunnable = command.commands.length === 0 || (!isRoot && command.options.length > 0);
  const below = command.commands.flatMap((each) => leavesOf(each, [...names, each.name()]));
  return isRunnable ? [{ command, names }, ...below] : below;
}

function section(command: Command, names: readonly string[]): string {
  const usage = `countergraph ${names.join(' ')} ${command.usage()}`;
  const rows = [
    ...command.registeredArguments.map((argument) => [
      argumentForm(argument.name(), argument.variadic),
      argument.description,
    ]),
    ...command.createHelp().visibleOptions(command).filter(isOwn).map(optionRow),
  ];
  const summary = command.description();
  return [
    `### ${names.join(' ')}`,
    `${code(usage)}: ${summary}.`,
    ...(rows.length > 0 ? [markdownTable(['parameter', 'meaning'], rows)] : []),
  ].join('\n\n');
}

const argumentForm = (name: string, variadic: boolean): string =>
  code(variadic ? `<${name}...>` : `<${name}>`);

/** Every command has `--help`, so it is left out. */
const isOwn = ({ long }: Option): boolean => long !== '--help';

function optionRow({ flags, description, argChoices, mandatory }: Option): string[] {
  const choices = argChoices ? `; one of ${argChoices.map(code).join(', ')}` : '';
  const meaning = description.replaceAll('<', '\\<');
  return [code(flags), `${meaning}${choices}${mandatory ? '; required' : ''}`];
}
