# Runs a formula as Homebrew does, with a stand-in of the few words of it that ours uses:
#
#     ruby formula-runner.rb FORMULA SOURCE PREFIX      prints what each system downloads, installs from SOURCE, and tests
require "fileutils"
require "json"

SYSTEM = { os: nil, cpu: nil }

class Formula
  class << self
    attr_reader :facts, :test_block

    def reset = @facts = {}

    %i[desc homepage version license url sha256].each do |field|
      define_method(field) do |value|
        raise "#{field} is given twice" if @facts.key?(field)
        @facts[field] = value
      end
    end

    def on_macos(&block) = SYSTEM[:os] == :macos && block.call
    def on_linux(&block) = SYSTEM[:os] == :linux && block.call
    def on_arm(&block) = SYSTEM[:cpu] == :arm && block.call
    def on_intel(&block) = SYSTEM[:cpu] == :intel && block.call
    def test(&block) = @test_block = block
    def inherited(formula) = (formula.reset; super)
  end

  def initialize(prefix) = @prefix = prefix

  # A folder of the prefix, to which files of the source are installed under their own names or others.
  class Keg < String
    def install(files)
      pairs = files.is_a?(Hash) ? files : { files => File.basename(files) }
      FileUtils.mkdir_p(self)
      pairs.each { |from, name| FileUtils.cp(from, File.join(self, name), preserve: true) }
    end
  end

  {
    bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d"
  }.each { |name, folder| define_method(name) { Keg.new(File.join(@prefix, folder)) } }

  def version = self.class.facts.fetch(:version)

  def shell_output(command)
    said = `#{command}`
    raise "#{command} exited with #{$?.exitstatus}" unless $?.success?
    said
  end

  def assert_match(wanted, text) = text.include?(wanted) || raise("#{text.inspect} has no #{wanted.inspect}")
end

formula, source, prefix = ARGV
facts = %i[macos linux].product(%i[arm intel]).to_h do |os, cpu|
  SYSTEM.update(os: os, cpu: cpu)
  Object.send(:remove_const, :ScorpioxCode) if Object.const_defined?(:ScorpioxCode)
  load File.expand_path(formula)
  ["#{os} #{cpu}", ScorpioxCode.facts]
end
made = ScorpioxCode.new(File.expand_path(prefix))
Dir.chdir(source) { made.install }
made.instance_eval(&ScorpioxCode.test_block)
puts JSON.generate(facts: facts, files: Dir.glob("**/*", base: prefix).reject { |at| File.directory?(File.join(prefix, at)) }.sort)
