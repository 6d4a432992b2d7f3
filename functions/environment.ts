/** The settings of the service. This is the only file that reads the environment; each setting is checked when it is first used. */
export const environment = {
  get tableName() {
    return required('TABLE_NAME');
  },
  /** The queue of background work. On AWS every job has its own: `{job}` stands for the job's name in their address. */
  get jobsQueueUrl() {
    return url('JOBS_QUEUE_URL');
  },
  /** The one browser origin that may call the service, as a browser spells it: `https://app.example.com`. */
  get appOrigin() {
    const value = required('APP_ORIGIN');
    if (URL.parse(value)?.origin !== value)
      throw wrong('APP_ORIGIN', value, 'an origin such as https://app.example.com');
    return value;
  },
};

const required = (name: string) => {
  const value = process.env[name];
  if (!value) throw new Error(`The setting ${name} is missing from the environment.`);
  return value;
};

const url = (name: string) => {
  const value = required(name);
  if (!URL.canParse(value)) throw wrong(name, value, 'an address');
  return value;
};

const wrong = (name: string, value: string, form: string) =>
  new Error(`The setting ${name} must be ${form}, and is ${JSON.stringify(value)}.`);
