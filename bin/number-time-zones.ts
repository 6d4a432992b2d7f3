import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Converts Google's resources/timezones/map_data.txt, whose path is the only argument, to the JSON that functions load.
const [input = ''] = process.argv.slice(2);
const rows = readFileSync(input, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('|') as [string, string]);
const prefixes = Object.groupBy(rows, ([, zones]) => zones);
const zones = Object.fromEntries(
  Object.entries(prefixes).map(([zones, rows = []]) => [zones, rows.map(([prefix]) => prefix).join(' ')]),
);
const license =
  'From libphonenumber (resources/timezones/map_data.txt). Copyright (C) 2012 The Libphonenumber Authors. Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0';
const output = join(import.meta.dirname, '../functions/calling/number-time-zones.json');
writeFileSync(output, `${JSON.stringify({ license, zones }, null, 1)}\n`);
