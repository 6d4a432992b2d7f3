/** `npm run audit`: looks for known vulnerabilities in the packages that are deployed. */
import { spawnSync } from 'node:child_process';

type Report = { vulnerabilities?: Record<string, { name: string; severity: string; range: string }> };

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--omit=optional', '--json'], { encoding: 'utf8' });

const readReport = (): Report | undefined => {
  try {
    return JSON.parse(stdout) as Report;
  } catch {
    return undefined;
  }
};

const vulnerabilities = readReport()?.vulnerabilities;
if (!vulnerabilities) {
  console.error('The registry did not answer, or has no advisories: nothing was checked.');
  process.exitCode = 1;
} else {
  const found = Object.values(vulnerabilities);
  for (const { name, severity, range } of found) console.log(`${severity}\t${name} ${range}`);
  const severe = found.filter(({ severity }) => severity === 'high' || severity === 'critical');
  console.log(`${found.length} vulnerable packages, ${severe.length} of them of high or critical severity.`);
  if (severe.length > 0) process.exitCode = 1;
}
