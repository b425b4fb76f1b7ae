/**
 * Options by hand, from the programs' own manuals, where the completion specs know too little.
 *
 * `MANUAL_OPTIONS`: the small programs that every shell has, of which the specs know the BSD ones. `GLOBAL_OPTIONS`: what larger tools
 * take before their commands. Only what matching and reads need: names of one option, and whether a value follows.
 */
import type { OptionNode } from './options.ts'

export const MANUAL_OPTIONS: Readonly<Record<string, OptionNode>> = {
  cat: { options: '-A|--show-all -b|--number-nonblank -e -E|--show-ends -n|--number -s|--squeeze-blank -t -T|--show-tabs -u -v' },
  head: { options: '-c|--bytes= -n|--lines= -q|--quiet|--silent -v|--verbose -z|--zero-terminated' },
  tail: {
    options:
      '-c|--bytes= -f|--follow? -F -n|--lines= --pid= -q|--quiet|--silent --retry -s|--sleep-interval= -v|--verbose -z|--zero-terminated -r',
  },
  nl: {
    options:
      '-b|--body-numbering= -d|--section-delimiter= -f|--footer-numbering= -h|--header-numbering= -i|--line-increment= -l|--join-blank-lines= -n|--number-format= -p|--no-renumber -s|--number-separator= -v|--starting-line-number= -w|--number-width=',
  },
  tac: { options: '-b|--before -r|--regex -s|--separator=' },
  sed: {
    options:
      '-n|--quiet|--silent -e|--expression= -f|--file= -E|-r|--regexp-extended -i|--in-place? -l|--line-length= -s|--separate -u|--unbuffered -z|--null-data --posix --debug --sandbox --follow-symlinks',
  },
  awk: { options: '-f|--file= -F|--field-separator= -v|--assign= -i|--include= -e|--source= -b -c -C -n -N -O -r -s -S -t' },
  less: {
    options:
      '-N|--LINE-NUMBERS -n|--line-numbers -R|--RAW-CONTROL-CHARS -S|--chop-long-lines -F|--quit-if-one-screen -X|--no-init -E|--QUIT-AT-EOF -p|--pattern= -x|--tabs= -j|--jump-target= -b|--buffers= -P|--prompt= -o|--log-file= -k|--lesskey-file= -t|--tag= -y|--max-forw-scroll= -z|--window= -h|--max-back-scroll= -i|--ignore-case -r -s',
  },
  more: { options: '-d -f -l -p -c -s -u -n|--lines=' },
  bat: {
    options:
      '-A|--show-all -p|--plain -l|--language= -H|--highlight-line= --file-name= -d|--diff --diff-context= --tabs= --wrap= --terminal-width= -n|--number --color= --italic-text= --decorations= -f|--force-colorization --paging= --pager= -P -m|--map-syntax= --theme= --style= -r|--line-range= -u|--unbuffered -S|--chop-long-lines -s|--squeeze-blank',
  },
  rm: {
    options:
      '-f|--force -i -I --interactive? -r|-R|--recursive -d|--dir -v|--verbose --one-file-system --no-preserve-root --preserve-root?',
  },
  cp: {
    options:
      '-a|--archive -b --backup? -d -f|--force -H -i|--interactive -l|--link -L|--dereference -n|--no-clobber -P|--no-dereference -p --preserve? -R|-r|--recursive -s|--symbolic-link -S|--suffix= -t|--target-directory= -T|--no-target-directory -u --update? -v|--verbose -x|--one-file-system',
  },
  mv: {
    options:
      '-b --backup? -f|--force -i|--interactive -n|--no-clobber -S|--suffix= -t|--target-directory= -T|--no-target-directory -u --update? -v|--verbose',
  },
  ln: {
    options:
      '-b --backup? -f|--force -i|--interactive -L|--logical -n|--no-dereference -P|--physical -r|--relative -s|--symbolic -S|--suffix= -t|--target-directory= -T|--no-target-directory -v|--verbose',
  },
  install: {
    options:
      '-b --backup? -c -C|--compare -d|--directory -D -g|--group= -m|--mode= -o|--owner= -p|--preserve-timestamps -s|--strip -S|--suffix= -t|--target-directory= -T|--no-target-directory -v|--verbose',
  },
  mkdir: { options: '-m|--mode= -p|--parents -v|--verbose' },
  rmdir: { options: '-p|--parents -v|--verbose --ignore-fail-on-non-empty' },
  touch: { options: '-a -c|--no-create -d|--date= -f -h|--no-dereference -m -r|--reference= -t= --time=' },
  tee: { options: '-a|--append -i|--ignore-interrupts -p --output-error?' },
  truncate: { options: '-c|--no-create -o|--io-blocks -r|--reference= -s|--size=' },
  chmod: { options: '-c|--changes -f|--silent|--quiet -v|--verbose -R|--recursive --reference= --no-preserve-root --preserve-root' },
  chown: {
    options: '-c|--changes -f|--silent|--quiet -v|--verbose -R|--recursive --from= --reference= -h|--no-dereference -H -L -P',
  },
  sort: {
    options:
      '-b -c -C -d -f -g -h -i -k|--key= -m|--merge -M -n|--numeric-sort -o|--output= -r|--reverse -R -s|--stable -S|--buffer-size= -t|--field-separator= -T|--temporary-directory= -u|--unique -V -z --parallel=',
  },
  wc: { options: '-c|--bytes -m|--chars -l|--lines -w|--words -L|--max-line-length --files0-from=' },
  ls: {
    options: '-a|--all -A|--almost-all -d|--directory -h|--human-readable -l -r|--reverse -R|--recursive -S -t -1 -I|--ignore= -w|--width=',
  },
  grep: {
    options:
      '-A|--after-context= -B|--before-context= -C|--context= -c|--count -D|--devices= -d|--directories= -E|--extended-regexp -e|--regexp= -F|--fixed-strings -f|--file= -H|--with-filename -h|--no-filename -i|--ignore-case -L|--files-without-match -l|--files-with-matches -m|--max-count= -n|--line-number -o|--only-matching -P|--perl-regexp -q|--quiet|--silent -R -r|--recursive -s|--no-messages -v|--invert-match -w|--word-regexp -x|--line-regexp -z --include= --exclude= --exclude-dir= --color?',
  },
}

export const GLOBAL_OPTIONS: Readonly<Record<string, string>> = {
  aws: '--profile= --region= --output= --endpoint-url= --query= --cli-read-timeout= --ca-bundle=',
  cargo: '--manifest-path= --color= -C= --config= -Z= -j|--jobs=',
  docker: '-H|--host= -c|--context= --config= -l|--log-level= --tlscacert= --tlscert= --tlskey= -D|--debug',
  gcloud: '--project= --account= --format= --configuration= --verbosity=',
  gh: '-R|--repo=',
  git: '--config-env= --attr-source= --super-prefix= -P|--no-pager',
  helm: '-n|--namespace= --kube-context= --kubeconfig= --registry-config=',
  kubectl: '--context= --cluster= --user= --kubeconfig= --as= --as-group= -s|--server= --token= --request-timeout= -v|--v=',
  make: '-C|--directory= -f|--file|--makefile= -I|--include-dir= -o|--old-file= -W|--what-if=',
  npm: '-C|--prefix= --registry= --userconfig= --cache= --loglevel= -w|--workspace=',
  pnpm: '-C|--dir= -F|--filter=',
  yarn: '--cwd=',
}
