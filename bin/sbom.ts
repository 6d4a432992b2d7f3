/** `npm run sbom`: prints a bill of materials (CycloneDX) of the packages that are deployed. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Package = { dev?: true; optional?: true; devOptional?: true };
type LockFile = { packages: Record<string, Package> & { '': Package } };

const root = join(import.meta.dirname, '..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** Returns the lock file with only the packages that production needs, by npm's own marks. */
const production = ({ packages, ...rest }: LockFile): LockFile => {
  const needed = Object.entries(packages).filter(
    ([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional,
  );
  return { ...rest, packages: { ...Object.fromEntries(needed), '': withoutDevelopment(packages['']) } };
};
const withoutDevelopment = <T>(packageFile: T): T => ({ ...packageFile, devDependencies: undefined });

// `npm sbom --omit=dev` also leaves out what development and production share: https://github.com/npm/cli/issues/7909
const packageFile = read('package.json');
const temporary = mkdtempSync(join(tmpdir(), 'sbom-'));
// npm names the bill after the folder.
const folder = join(temporary, packageFile.name);
mkdirSync(folder);
writeFileSync(join(folder, 'package.json'), JSON.stringify(withoutDevelopment(packageFile)));
writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(production(read('package-lock.json'))));
const flags = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const { status } = spawnSync('npm', ['sbom', ...flags], { cwd: folder, stdio: 'inherit' });
rmSync(temporary, { recursive: true });
process.exitCode = status ?? 1;
