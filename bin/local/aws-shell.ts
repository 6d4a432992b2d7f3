import { Worker } from 'node:worker_threads';

type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
type Response = { id: number; answer?: unknown; error?: string };

/** AWS as the user's shell reaches it: by a profile, single sign-on or keys, whichever AWS's usual chain finds. */
export class AwsShell {
  readonly #env: NodeJS.ProcessEnv;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  credentials = () => this.#ask('credentials') as Promise<Credentials>;

  region = () => this.#ask('region') as Promise<string>;

  secret = (arn: string) => this.#ask('secret', arn) as Promise<string>;

  #ask(question: string, arn?: string): Promise<unknown> {
    this.#worker ??= this.#start();
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ id, question, arn });
    return waiting.promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./aws-shell-worker.ts', import.meta.url), { env: this.#env });
    worker.on('message', ({ id, answer, error }: Response) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(error));
    });
    worker.unref();
    return worker;
  }
}
