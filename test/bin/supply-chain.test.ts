import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import acceptance from '../acceptance/packages.json' with { type: 'json' };

const packageFile = JSON.parse(readFileSync('package.json', 'utf8'));
const lockFile = JSON.parse(readFileSync('package-lock.json', 'utf8'));

it('packages have exact versions, and those that run scripts when installed are allowed or denied by name', () => {
  const lists = [packageFile.dependencies, packageFile.devDependencies, acceptance];
  const versions = lists.flatMap((list) => Object.values(list as Record<string, string>));
  expect(versions.filter((version) => !/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  const packages = Object.entries(lockFile.packages) as [string, { hasInstallScript?: boolean }][];
  const withScripts = packages.flatMap(([path, { hasInstallScript }]) =>
    path !== '' && hasInstallScript ? [path.replace(/^.*node_modules\//, '')] : [],
  );
  expect([...new Set(withScripts)].sort()).toEqual(Object.keys(packageFile.allowScripts).sort());
});
