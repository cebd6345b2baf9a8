import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// The benchmarks measure the built product in the parent folder.
const run = (command) => execSync(command, { stdio: 'inherit' });
if (!existsSync('../node_modules')) run('npm --prefix .. ci');
run('npm --prefix .. run -s build');
