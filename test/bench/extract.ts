/** Extracts the text of one document in a process of its own: `node extract.ts FILE` reports its time and its memory. */
import { existsSync, readFileSync } from 'node:fs';
import { kindOf } from '../../functions/extraction/document-kind.ts';
import { readDocument } from '../../functions/extraction/document-texts.ts';
import { formatOf } from '../../functions/extraction/file-formats.ts';

/** Linux reports this process alone; other systems may report what its parent once had. */
const residentAtMost = () => {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) / 1024;
};

const [, , file = ''] = process.argv;
const bytes = readFileSync(file);
const began = performance.now();
const processorBefore = process.cpuUsage();
const kind = await kindOf(bytes, file, formatOf);
const text = 'type' in kind ? await readDocument(bytes, kind.type) : { failure: kind.unsupported };
const processor = process.cpuUsage(processorBefore);
console.log(
  JSON.stringify({
    milliseconds: performance.now() - began,
    processorMilliseconds: (processor.user + processor.system) / 1000,
    megabytes: residentAtMost(),
    ...('failure' in text ? text : { characters: text.content.length }),
  }),
);
process.exit();
