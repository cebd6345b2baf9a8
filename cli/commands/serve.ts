import { type Command, Option } from 'commander';

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('start the service, with its embedded PostgreSQL unless DATABASE_URL is set')
    .addOption(
      new Option('--demo', 'load the demo context into an embedded database that is still empty'),
    )
    .addOption(
      new Option(
        '--documents <file>',
        'trusted GraphQL documents, as JSON: {"<hash>": "<document>"}',
      ),
    )
    .action(async ({ demo, documents }: { demo?: true; documents?: string }) => {
      // What serves takes half a second to load, which no other command should have to wait for.
      const { serve } = await import('../serve.ts');
      await serve(demo ?? false, documents ?? null);
    });
}
