import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// What is measured is the product as it is built, beside this folder.
const run = (command) => execSync(command, { stdio: 'inherit' });
if (!existsSync('../node_modules')) run('npm --prefix .. ci');
run('npm --prefix .. run -s build');
