import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The processes, zombies aside, whose command line has a text or that work in the folder of this name, with those command lines. */
export const findProcesses = (text: string): { pid: number; command: string }[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const command = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ');
    return command.includes(text) || findFolder(name) === text ? [{ pid: Number(name), command }] : [];
  });

/** The addresses at which a process and its descendants listen, as hexadecimal numbers, with the process's program. */
export const listeningSockets = (root: number): { program: string; address: string; port: number }[] => {
  const sockets = ['tcp', 'tcp6'].flatMap((table) =>
    read(`/proc/net/${table}`)
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === '0A'),
  );
  const byInode = new Map(sockets.map((columns) => [columns[9], columns[1] ?? '']));
  return descendants(root).flatMap((pid) =>
    listInodes(pid).flatMap((inode) => {
      const [address, port] = byInode.get(inode)?.split(':') ?? [];
      if (!address || !port) return [];
      return { program: read(`/proc/${pid}/comm`).trim(), address, port: Number.parseInt(port, 16) };
    }),
  );
};

const descendants = (pid: number): number[] => {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(descendants)];
};

const listInodes = (pid: number) => {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
};

/** A process may end at any time. */
const read = (file: string) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const findFolder = (pid: string) => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
};
