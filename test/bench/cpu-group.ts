import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The interval over which Linux enforces a share of a core, as Lambda sets it. */
const periodMicroseconds = 20_000;

/** A control group of Linux: its processes get no more than a share of one core. */
export class CpuGroup {
  readonly #folder: string;
  readonly #isVersion1: boolean;

  private constructor(folder: string, isVersion1: boolean) {
    this.#folder = folder;
    this.#isVersion1 = isVersion1;
  }

  /** Creates a group; undefined when this machine or user cannot have one. */
  static open(): CpuGroup | undefined {
    for (const [root, isVersion1] of [
      ['/sys/fs/cgroup/cpu', true],
      ['/sys/fs/cgroup', false],
    ] as const) {
      const group = new CpuGroup(join(root, `voice-agents-${process.pid}`), isVersion1);
      if (group.#create(root)) return group;
    }
  }

  #create(root: string): boolean {
    try {
      if (!existsSync(join(root, 'cgroup.procs'))) return false;
      mkdirSync(this.#folder);
      process.once('exit', () => this.close());
      this.limit(undefined);
      // Other load on the machine must not count: the group goes first, with the largest weight there is.
      if (this.#isVersion1) this.#write('cpu.shares', 262_144);
      else this.#write('cpu.weight', 10_000);
      return true;
    } catch {
      return false;
    }
  }

  add(pid: number): void {
    this.#write('cgroup.procs', pid);
  }

  /** Limits the group to a share of one core, or takes the limit away. */
  limit(share: number | undefined): void {
    const quota = share && Math.round(share * periodMicroseconds);
    if (this.#isVersion1) {
      this.#write('cpu.cfs_period_us', periodMicroseconds);
      this.#write('cpu.cfs_quota_us', quota ?? -1);
    } else this.#write('cpu.max', `${quota ?? 'max'} ${periodMicroseconds}`);
  }

  /** Removes the group, which must have no process left. */
  close(): void {
    if (existsSync(this.#folder)) rmdirSync(this.#folder);
  }

  #write(file: string, value: string | number) {
    writeFileSync(join(this.#folder, file), String(value));
  }
}
